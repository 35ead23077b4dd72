package tutti.runtime.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.match.Mailbox;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** The links of one job to its other nodes: one per pair of nodes, opened by the node with the lower index and authenticated with the job's key. */
public final class JobNetwork {
    private final JobSpec spec;
    private final IntFunction<@Nullable Mailbox> mailboxes;
    /** By index; null for this node. */
    private final @Nullable PeerNode[] peers;
    private final LinkPolling polling = new LinkPolling();
    private final List<CompletableFuture<Void>> linked = new ArrayList<>();

    /**
     * Creates the network without any link.
     *
     * @param mailboxes returns the mailbox of a rank of this node, null for other ranks
     * @param lost      called with the index of a node and the reason when its link is lost
     */
    public JobNetwork(final JobSpec spec, final IntFunction<@Nullable Mailbox> mailboxes, final BiConsumer<Integer, String> lost) {
        this.spec = spec;
        this.mailboxes = mailboxes;
        this.peers = new PeerNode[spec.nodes().size()];
        for (int i = 0; i < peers.length; i++) {
            linked.add(new CompletableFuture<>());
            if (i == spec.self()) {
                linked.get(i).complete(null);
            } else {
                peers[i] = new PeerNode(i, spec.nodes().get(i), lost);
            }
        }
    }

    /** Returns the object that transmits messages to another node. */
    public PeerNode peer(final int node) {
        return Objects.requireNonNull(peers[node], "link to another node");
    }

    /** Returns the numbers of messages that were sent to other nodes of this job. */
    public MessageStatistics sent() {
        MessageStatistics sum = MessageStatistics.NONE;
        for (final PeerNode p : peers) {
            sum = p == null ? sum : sum.plus(p.statistics());
        }
        return sum;
    }

    /** Returns what polls the links on the threads that wait. A job on one node has none, so that its ranks do not share counters for each wait. */
    public MessagePolling polling() {
        return peers.length == 1 ? MessagePolling.NONE : polling;
    }

    /**
     * Connects to the nodes with higher indices. The result completes when these links and those from the nodes with lower indices are up.
     *
     * @param nodes the job's nodes, in the order of the specification, with the addresses of their listeners
     */
    public CompletionStage<Void> connect(final Transport transport, final List<NodeAddress> nodes) {
        if (!nodes.stream().map(NodeAddress::name).toList().equals(spec.nodes())) {
            return CompletableFuture
                .failedStage(new IllegalArgumentException("listeners of other nodes: listeners=" + nodes + ", nodes=" + spec.nodes()));
        }
        for (int i = spec.self() + 1; i < peers.length; i++) {
            final int node = i;
            Thread.ofVirtual().name("tutti-" + spec.id() + "-connect-" + node).start(() -> connect(node, transport, nodes.get(node)));
        }
        return CompletableFuture.allOf(linked.toArray(CompletableFuture[]::new));
    }

    private void connect(final int node, final Transport transport, final NodeAddress address) {
        try {
            open(peer(node), transport, address, new Hello(JobHost.PURPOSE, hello()));
            linked.get(node).complete(null);
        } catch (final IOException | RuntimeException | LinkageError e) {
            linked.get(node).completeExceptionally(new IOException("cannot link node " + spec.nodes().get(spec.self())
                + " to node " + address + ": " + e.getMessage(), e));
        }
    }

    /** Opens the link to a node, of this job or of a connected one. Returns when it is there. */
    public void open(final PeerNode node, final Transport transport, final NodeAddress address, final Hello hello) throws IOException {
        final LinkHandler handler = new PeerFrameHandler(node, mailboxes, polling);
        attach(node, transport.connect(new InetSocketAddress(address.host(), address.port()), hello, handler, PeerLifeline.HOST_LIMIT));
    }

    /** Takes over the link that a node, of this job or of a connected one, has opened; returns what handles its frames. */
    public LinkHandler accept(final PeerNode node, final Link link) {
        attach(node, link);
        return new PeerFrameHandler(node, mailboxes, polling);
    }

    private void attach(final PeerNode node, final Link link) {
        node.attach(link);
        polling.add(link);
    }

    private byte[] hello() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(spec.id());
            out.writeInt(spec.self());
            out.writeByte(spec.key().length);
            out.write(spec.key());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Returns the job that a hello names: its id, or its identity where another job sent the hello. */
    public static String jobOf(final Hello hello) throws RefusedException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(hello.payload()))) {
            return in.readUTF();
        } catch (final IOException e) {
            throw new RefusedException("bad hello of a job");
        }
    }

    /** Accepts a link from another node of this job. */
    public LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        final int node;
        final byte[] key;
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(hello.payload()))) {
            in.readUTF();
            node = in.readInt();
            key = in.readNBytes(in.readUnsignedByte());
        } catch (final IOException e) {
            throw new RefusedException("bad hello of a job");
        }
        if (!MessageDigest.isEqual(key, spec.key())) {
            // Cause: another job, or no job, connects to the ranks of one. Remedy: look who it is, if it comes again.
            throw new RefusedException("wrong key for job " + spec.id());
        }
        // of two links that claim to come from the same node, one completes the future
        if (node < 0 || node >= spec.self() || !linked.get(node).complete(null)) {
            throw new RefusedException("unexpected link: job=" + spec.id() + ", node=" + node);
        }
        return accept(peer(node), link);
    }

    /** Sends a LEAVE frame to all nodes, after all messages to them, and closes the links. */
    public void leave() {
        for (final PeerNode p : peers) {
            if (p != null) {
                p.leave();
            }
        }
    }
}
