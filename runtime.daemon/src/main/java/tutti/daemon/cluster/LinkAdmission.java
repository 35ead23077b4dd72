package tutti.daemon.cluster;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterCertificate;
import tutti.daemon.security.Credential;
import tutti.daemon.security.HelloVerifier;
import tutti.daemon.security.Role;
import tutti.runtime.job.JobHost;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/**
 * Admission of the links that commands, nodes and ranks open to a node: verifies who opens a link and in which role, and passes it to what serves
 * links of its purpose. What a hello is refused for is logged, a number of times in a period at most.
 *
 * <p>Called by the I/O thread, which waits until the node serves links, or stops. Neither needs a link.
 */
public final class LinkAdmission implements LinkAcceptor {
    private static final Logger LOG = LoggerFactory.getLogger(LinkAdmission.class);

    private final String node;
    private final HelloVerifier verifier;
    private final boolean byCertificate;
    private final LinkAcceptor ranks;
    private final CompletableFuture<Opened> opened = new CompletableFuture<>();
    private final RefusalPeriod refused = RefusalPeriod.ofManyReasons();

    /** Servers of the links of a node, by the purpose of a link. */
    public interface Servers {
        /** Serves a command of a user with that role, who is known as owner of jobs or is not, null. */
        LinkHandler command(Link link, Role role, @Nullable String owner) throws RefusedException;

        /** Serves a node, for membership and questions. */
        LinkHandler node(Link link, NodeInfo peer) throws RefusedException;

        /** Serves a node that coordinates a job, for its part at a place here. */
        LinkHandler job(Link link, NodeInfo peer, String place) throws RefusedException;

        /** Serves a node that coordinates a change of modules. */
        LinkHandler change(Link link, NodeInfo peer) throws RefusedException;

        /** Serves a node that keeps copies of checkpoints here, or fetches some. */
        LinkHandler checkpoint(Link link, NodeInfo peer) throws RefusedException;
    }

    /** Servers of the links of an open node, and the ports at which others may reach it. */
    private record Opened(Servers servers, Set<Integer> ports) {}

    /**
     * Creates the admission of a node.
     *
     * @param node  name of the node
     * @param own   the node's credential; null if it lets everybody in
     * @param ranks accepts links between ranks
     */
    LinkAdmission(final String node, final @Nullable Credential own, final LinkAcceptor ranks) {
        this.node = node;
        this.verifier = new HelloVerifier(own);
        this.byCertificate = own instanceof ClusterCertificate;
        this.ranks = ranks;
    }

    /** Lets links in. */
    void open(final Servers servers, final Set<Integer> ports) {
        opened.complete(new Opened(servers, ports));
    }

    /** Refuses links that wait. */
    void close() {
        opened.cancel(false);
    }

    private Opened await() throws RefusedException {
        try {
            return opened.get();
        } catch (final ExecutionException | CancellationException e) {
            // Cause: the node listened, and could not start or was stopped. Remedy: its log has the reason.
            throw new RefusedException("node " + node + " has stopped before it was ready");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            // Remedy: ask another node.
            throw new RefusedException("node " + node + " is stopping");
        }
    }

    @Override
    public LinkHandler accept(final Link link, final Hello received) throws RefusedException {
        final Servers servers = await().servers();
        return switch (received.purpose()) {
            case JobHost.PURPOSE, JobHost.PURPOSE_PEER, JobHost.PURPOSE_PORT -> acceptRank(link, received);
            case Protocol.CLIENT, Protocol.CHANGE, Protocol.CHECKPOINT, Protocol.NODE, Protocol.PROBE -> serve(servers, link, verify(link, received));
            // Cause: the command or node runs another release.
            default -> throw new RefusedException("unknown purpose: " + received.purpose());
        };
    }

    /** Accepts a link between ranks from who has the key of the job, which its nodes have, and where there are certificates that of a node. */
    LinkHandler acceptRank(final Link link, final Hello hello) throws RefusedException {
        if (byCertificate && verify(link, hello).role() != Role.NODE) {
            // Cause: the node was started with the secret of a command, with certificates. Remedy: `tutti secure node`.
            throw refused(link, hello, new RefusedException("links between ranks need a certificate for role " + Role.NODE));
        }
        return ranks.accept(link, hello);
    }

    private HelloVerifier.Verified verify(final Link link, final Hello hello) throws RefusedException {
        try {
            return verifier.verify(link.peerCertificate(), hello, await().ports());
        } catch (final RefusedException e) {
            throw refused(link, hello, e);
        }
    }

    private RefusedException refused(final Link link, final Hello hello, final RefusedException e) {
        final long links = refused.count();
        if (links > 0) {
            // Cause: a command or node has another secret, certificate, release or clock. Remedy: the reason says which; see [Security](security.md).
            LOG.warn("link refused: peer={}, purpose={}, reason={}{}", link.peer(), hello.purpose(), e.getMessage(),
                links == 1 ? "" : ", links=" + links);
        }
        return e;
    }

    private LinkHandler serve(final Servers servers, final Link link, final HelloVerifier.Verified verified) throws RefusedException {
        final Hello hello = verified.hello();
        if (hello.purpose().equals(Protocol.CLIENT)) {
            checkVersion(read(hello, ClientHello.class).protocol());
            return servers.command(link, verified.role(), verified.owner());
        }
        final NodeHello peer = read(hello, NodeHello.class);
        checkVersion(peer.protocol());
        if (verified.role() != Role.NODE) {
            // Cause: the node was started with the secret of a command. Remedy: the secret of role `node`.
            throw refused(link, hello, new RefusedException("a node needs the secret for role " + Role.NODE + ", that of node " + peer.node().name()
                + " is for role " + verified.role()));
        }
        if (verified.name() != null && !verified.name().equals(peer.node().name())) {
            // Cause: a node has the certificate of another. Remedy: the file with its own name.
            throw refused(link, hello, new RefusedException("node " + peer.node().name() + " shows the certificate of node " + verified.name()));
        }
        return switch (hello.purpose()) {
            case Protocol.CHANGE -> servers.change(link, peer.node());
            case Protocol.CHECKPOINT -> servers.checkpoint(link, peer.node());
            case Protocol.PROBE -> LinkProbe.responder();
            default -> peer.place() == null ? servers.node(link, peer.node()) : servers.job(link, peer.node(), peer.place());
        };
    }

    private static <T> T read(final Hello hello, final Class<T> type) throws RefusedException {
        try {
            return MessageCodec.read(hello.payload(), type);
        } catch (final IOException e) {
            // Cause: no command or node of Tutti connects, or one of another release. Remedy: the same release everywhere.
            throw new RefusedException("bad hello: " + Protocol.oneLine(e));
        }
    }

    private static void checkVersion(final int version) throws RefusedException {
        if (version != Protocol.VERSION) {
            // Cause: the command or node runs another release.
            throw new RefusedException("protocol differs: version=" + version + ", here=" + Protocol.VERSION + "; use the same release everywhere");
        }
    }
}
