package tutti.runtime.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.access.WindowTable;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.match.Mailbox;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * The links of one job to its other nodes: one per pair of nodes, authenticated with the job's key. It is opened by the node with the lower index;
 * the node of a spare rank opens those to all nodes that are there when its rank starts.
 */
public final class JobNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(JobNetwork.class);
    /** How often the node of a spare rank tries to link a node, which may be lost and is told of soon. */
    private static final int ATTEMPTS = 60;
    private static final long ATTEMPT_MILLIS = 250;

    private final JobSpec spec;
    private final IntFunction<@Nullable Mailbox> mailboxes;
    private final WindowTable windows;
    /** By index; null for this node. */
    private final @Nullable PeerNode[] peers;
    private final LinkPolling polling = new LinkPolling();
    private final List<CompletableFuture<Void>> linked = new ArrayList<>();
    /** Empty before {@link #connect}. */
    private volatile List<NodeEndpoints> endpoints = List.of();
    private volatile Map<String, Transport> transportsOfLinks = Map.of();

    /**
     * Creates the network without any link.
     *
     * @param mailboxes returns the mailbox of a rank of this node, null for other ranks
     * @param windows   the windows of ranks of this node
     * @param lost      called with the index of a node and the reason when its link is lost
     * @param left      called with the index of a node and the reason when its link is closed in good order
     */
    public JobNetwork(final JobSpec spec, final IntFunction<@Nullable Mailbox> mailboxes, final WindowTable windows,
        final BiConsumer<Integer, String> lost, final BiConsumer<Integer, String> left) {
        this.spec = spec;
        this.mailboxes = mailboxes;
        this.windows = windows;
        this.peers = new PeerNode[spec.nodes().size()];
        for (int i = 0; i < peers.length; i++) {
            linked.add(new CompletableFuture<>());
            if (i == spec.self()) {
                linked.get(i).complete(null);
            } else {
                peers[i] = new PeerNode(i, spec.nodes().get(i), lost, left);
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

    /** Returns by which transports some nodes are linked, for users; null when there is one node, or the nodes are not known yet. */
    public @Nullable String linksBetween(final IntStream some) {
        final List<NodeEndpoints> all = endpoints;
        return all.isEmpty() ? null : LinkSummary.of(some.mapToObj(all::get).toList());
    }

    /** Returns what polls the links on the threads that wait. A job on one node has none, so that its ranks do not share counters for each wait. */
    public MessagePolling polling() {
        return spec.isSpare(1) || peers.length == 1 ? MessagePolling.NONE : polling;
    }

    /**
     * Connects to the nodes with higher indices. The result completes when these links and those from the nodes with lower indices are up. The nodes
     * of spare ranks are left out.
     *
     * @param transports transports of this node, by scheme
     * @param nodes      the job's nodes, in the order of the specification, with the endpoints of their listeners
     */
    public CompletionStage<Void> connect(final Map<String, Transport> transports, final List<NodeEndpoints> nodes) {
        if (!nodes.stream().map(NodeEndpoints::name).toList().equals(spec.nodes())) {
            return CompletableFuture
                .failedStage(new IllegalArgumentException("listeners of other nodes: listeners=" + nodes + ", nodes=" + spec.nodes()));
        }
        endpoints = nodes;
        transportsOfLinks = transports;
        if (spec.isSpare(spec.self())) {
            return CompletableFuture.completedFuture(null);
        }
        final int others = (int) IntStream.range(0, peers.length).filter(i -> !spec.isSpare(i)).count();
        for (int i = spec.self() + 1; i < others; i++) {
            final int node = i;
            Thread.ofVirtual().name("tutti-" + spec.id() + "-connect-" + node).start(() -> connect(node, transports, nodes));
        }
        return CompletableFuture.allOf(linked.subList(0, others).toArray(CompletableFuture[]::new));
    }

    /**
     * Opens the links of the node of a spare rank to those of some nodes that are not {@linkplain #lose lost} by then. The result completes when all
     * are up.
     *
     * @param nodes the job's nodes; those without endpoints are left out
     */
    public CompletionStage<Void> link(final List<NodeEndpoints> nodes) {
        endpoints = nodes;
        final List<CompletableFuture<Void>> awaited = new ArrayList<>();
        for (int i = 0; i < peers.length; i++) {
            final int node = i;
            if (i != spec.self() && !nodes.get(i).endpoints().isEmpty()) {
                awaited.add(linked.get(i));
                Thread.ofVirtual().name("tutti-" + spec.id() + "-connect-" + node).start(() -> link(node, nodes));
            }
        }
        return CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new));
    }

    /** Opens the link to a node, which may be about to be lost. */
    private void link(final int node, final List<NodeEndpoints> nodes) {
        final CompletableFuture<Void> done = linked.get(node);
        for (int attempt = 1; !done.isDone(); attempt++) {
            try {
                open(node, transportsOfLinks, nodes);
                done.complete(null);
            } catch (final IOException | RuntimeException | LinkageError e) {
                if (attempt == ATTEMPTS) {
                    done.completeExceptionally(unlinked(node, nodes, e));
                }
                done.copy().completeOnTimeout(null, ATTEMPT_MILLIS, TimeUnit.MILLISECONDS).exceptionally(failure -> null).join();
            }
        }
    }

    /** Closes the link to a node, since its ranks are lost; one that has yet to open is not waited for. */
    public void lose(final int node, final String reason) {
        linked.get(node).complete(null);
        peer(node).lose(reason);
    }

    private void connect(final int node, final Map<String, Transport> transports, final List<NodeEndpoints> nodes) {
        try {
            open(node, transports, nodes);
            linked.get(node).complete(null);
        } catch (final IOException | RuntimeException | LinkageError e) {
            linked.get(node).completeExceptionally(unlinked(node, nodes, e));
        }
    }

    private void open(final int node, final Map<String, Transport> transports, final List<NodeEndpoints> nodes) throws IOException {
        open(peer(node), transports, nodes.get(spec.self()).common(nodes.get(node)), new Hello(JobHost.PURPOSE, hello()));
    }

    private IOException unlinked(final int node, final List<NodeEndpoints> nodes, final Throwable why) {
        return new IOException("cannot link node " + spec.nodes().get(spec.self()) + " to node " + nodes.get(node) + ": " + why.getMessage(), why);
    }

    /**
     * Opens the link to a node, of this job or of a connected one, over the first transport that opens one. Returns when it is there.
     *
     * @param endpoints endpoints of the node to which this one can be linked, the preferred one first
     * @throws RefusedException when the node refuses the link
     * @throws IOException      when no transport opens the link; the reason of the last one
     */
    public void open(final PeerNode node, final Map<String, Transport> transports, final List<Endpoint> endpoints, final Hello hello)
        throws IOException {
        final LinkHandler handler = new PeerFrameHandler(node, mailboxes, windows, polling);
        final List<IOException> failures = new ArrayList<>();
        for (final Endpoint to : endpoints) {
            final Transport transport = transports.get(to.scheme());
            if (transport == null) {
                continue;
            }
            try {
                attach(node, transport.connect(to.address(), hello, handler, PeerLifeline.HOST_LIMIT));
                return;
            } catch (final RefusedException e) {
                throw e;
            } catch (final IOException e) {
                failures.add(e);
                if (endpoints.size() > 1) {
                    // Cause: the transport has no room, or does not reach the node. Remedy: the line says why; the job uses the next transport.
                    LOG.warn("no link over {}: job={}, node={}, reason={}", to.scheme(), spec.id(), node.name(), e.getMessage());
                }
            }
        }
        if (failures.isEmpty()) {
            throw new IOException("no transport in common");
        }
        throw failures.getLast();
    }

    /** Takes over the link that a node, of this job or of a connected one, has opened; returns what handles its frames. */
    public LinkHandler accept(final PeerNode node, final Link link) {
        attach(node, link);
        return new PeerFrameHandler(node, mailboxes, windows, polling);
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
        final boolean mayOpen = node >= 0 && node < peers.length && node != spec.self() && (node < spec.self() || spec.isSpare(node));
        if (!mayOpen || !linked.get(node).complete(null)) {
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
