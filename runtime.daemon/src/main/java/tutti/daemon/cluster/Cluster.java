package tutti.daemon.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.membership.Membership;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.MembershipView;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * The cluster of this node: its members are those of a {@link Membership}, whose packets and {@link ClusterQuestions} go over {@link NodeLinks}.
 * Published as a service while the node listens. Safe for any thread.
 */
public final class Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    /** Reason of a node that was stopped. */
    static final String LEFT = "it has left the cluster";
    /** Reason of a node that other nodes have excluded. */
    private static final String EXCLUDED = "another node does not hear it";
    private static final long SEEN_SECONDS = 10;
    /** How long a node may take to say whether it knows this one: one that is stopped will know when it continues. */
    private static final Duration SEEN_ANSWER = Duration.ofSeconds(2);
    private static final long AGREE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final NodeInfo self;
    private final Transport transport;
    private final NodeLinks links;
    private final ClusterLinks measured;
    private final ClusterQuestions questions;
    /** A node of which nothing was heard for that long is not heard: members send several signs of life in that time. */
    private final long heardNanos;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final LostNodes lostNodes = new LostNodes();
    /** Reasons of lost links, by the address of the node, until there is a link again. */
    private final Map<InetSocketAddress, String> unlinked = new ConcurrentHashMap<>();
    /** Members that have announced to leave, until they are no members any more. A later process of the same name is another node. */
    private final Set<NodeInfo> leaving = ConcurrentHashMap.newKeySet();
    /** Complete when this object is; a membership may be quicker. */
    private final CompletableFuture<Membership> opened = new CompletableFuture<>();
    /** Names of the last view that all its nodes had, with the majority of the one before, without nodes that left. Guarded by this object. */
    private Set<String> agreed;
    private volatile boolean hasLeft;
    private final Object log = new Object();
    /** Members of the last view. Guarded by {@link #log}, as the numbers are. */
    private List<NodeInfo> before = List.of();
    private long joined;
    private long left;
    private long lost;

    /** Receives changes of the members. Methods do not block. */
    public interface Listener {
        /** Notifies that a node is lost, and why. */
        default void lost(final NodeInfo node, final String reason) {}

        /** Notifies that the members have changed. */
        default void changed() {}
    }

    /** Creates a cluster of a node alone. */
    public Cluster(final ListeningNode node, final MembershipProvider provider) {
        this(node.self(), node.control(), provider, node.settings().membership());
    }

    /** Creates a cluster of a node alone, whose links to others are those of a transport. */
    public Cluster(final NodeInfo self, final Transport transport, final MembershipProvider provider, final MembershipSettings settings) {
        this.self = self;
        this.transport = transport;
        this.heardNanos = TimeUnit.MILLISECONDS.toNanos(2 * settings.silenceMillis() / 3);
        this.agreed = Set.of(self.name());
        this.measured = new ClusterLinks(this, transport);
        this.links = new NodeLinks(transport, new LinkEvents());
        this.questions = new ClusterQuestions(this, links);
        questions.serve(MemberQuestions.class, new Answers());
        opened.complete(provider.open(self, settings, links::send, this::changed));
    }

    private Membership membership() {
        return opened.join();
    }

    /** Receives the events of links. */
    private final class LinkEvents implements NodeLinks.Listener {
        @Override
        public void packet(final byte[] bytes) {
            membership().received(bytes);
        }

        @Override
        public void leaving(final NodeInfo node) {
            leaving.add(node);
            listeners.forEach(Listener::changed);
        }

        @Override
        public void serve(final Conversation conversation) {
            questions.serveOn(conversation);
        }

        @Override
        public List<NodeInfo> members() {
            return nodes();
        }

        @Override
        public void linked(final InetSocketAddress peer) {
            unlinked.remove(peer);
        }

        @Override
        public void lost(final InetSocketAddress peer, final String reason) {
            unlinked.put(peer, reason);
            membership().suspect(peer);
        }
    }

    /** Answers the questions of other nodes about the cluster. */
    private final class Answers implements MemberQuestions {
        @Override
        public CompletionStage<Boolean> sees(final String node) {
            return CompletableFuture.completedStage(Cluster.this.sees(node));
        }

        @Override
        public CompletionStage<String> silence(final String node) {
            return CompletableFuture.completedStage(Objects.requireNonNullElse(Cluster.this.silence(node), ""));
        }

        @Override
        public CompletionStage<String> probe(final String node) {
            return CompletableFuture.completedStage(Cluster.this.probe(node));
        }

        @Override
        public CompletionStage<Boolean> hasView(final List<String> names) {
            return CompletableFuture.completedStage(Cluster.this.hasView(names));
        }

        @Override
        public CompletionStage<@Nullable String> minority() {
            return CompletableFuture.completedStage(Cluster.this.minority());
        }

        @Override
        public CompletionStage<@Nullable LinkQuality> linkToSuccessor(final List<String> nodes) {
            return CompletableFuture.completedStage(measured.ofSuccessor(nodes));
        }
    }

    /** Returns the questions to nodes of the cluster. */
    public ClusterQuestions questions() {
        return questions;
    }

    /** Returns what the links between the nodes carry. */
    public ClusterLinks links() {
        return measured;
    }

    /** Accepts a link of another node, whose messages use that memory. */
    public LinkHandler accept(final Link link, final NodeInfo node, final ControlChannel.Memory memory) throws RefusedException {
        if (hasLeft) {
            // Cause: the node that was asked was cut off, and starts anew. Remedy: ask another node, or wait.
            throw new RefusedException("node " + self().name() + " has left its cluster");
        }
        if (node.name().equals(self().name())) {
            // Cause: two nodes of a cluster would have one name.
            throw new RefusedException("name is taken by this node: name=" + node.name() + "; start it with another --name");
        }
        for (final NodeInfo known : membership().view().members()) {
            // a member whose links are lost was killed, most likely, and is not excluded yet
            if (known.name().equals(node.name()) && !known.address().equals(node.address()) && links.isLinked(known)) {
                throw new RefusedException("name is taken in this cluster: name=" + node.name() + "; start it with another --name");
            }
        }
        membership().prepare();
        return links.accept(link, node, memory);
    }

    /** Joins the cluster of the node at that address, and waits until all members that answer know it; returns that node. Blocks. */
    public NodeInfo join(final HostPort address) throws IOException {
        final List<NodeInfo> there = links.connect(address);
        final NodeInfo seed = there.getFirst();
        membership().join(there);
        final long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(SEEN_SECONDS);
        while (!questions.askAll(MemberQuestions.class, n -> n.sees(self().name()), SEEN_ANSWER).values().stream().allMatch(s -> s)
            && System.nanoTime() < limit) {
            LockSupport.parkNanos(SEEN_NANOS);
        }
        LOG.info("joined the cluster of node {} at {}", seed.name(), address);
        return seed;
    }

    /** Nodes that have come, left and were lost since this one started. */
    public record Changes(long joined, long left, long lost) {}

    public Changes changes() {
        synchronized (log) {
            return new Changes(joined, left, lost);
        }
    }

    private void log(final MembershipView view, final List<NodeInfo> gone) {
        synchronized (log) {
            for (final NodeInfo node : gone) {
                if (view.members().stream().anyMatch(node::isSameProcess)) {
                    LOG.info("node {} was cut off and is back, jobs across the cut end: address={}, nodes={}", node.name(), node.address(),
                        view.members().size());
                } else if (isLeaving(node)) {
                    left++;
                    LOG.info("node {} left: address={}, nodes={}", node.name(), node.address(), view.members().size());
                } else {
                    lost++;
                    LOG.info("node {} is lost: address={}, nodes={}, reason={}", node.name(), node.address(), view.members().size(), reason(node));
                }
            }
            for (final NodeInfo node : view.members()) {
                // a node that gets a new incarnation has not come anew
                if (before.stream().noneMatch(node::isSameProcess) && !node.isSameProcess(self)) {
                    joined++;
                    LOG.info("node {} joined: address={}, cores={}, Java={}, nodes={}", node.name(), node.address(), node.cores(), node.java(),
                        view.members().size());
                }
            }
            before = view.members();
        }
    }

    /** Returns why a node is gone. */
    private String reason(final NodeInfo node) {
        if (isLeaving(node)) {
            return LEFT;
        }
        final String link = unlinked.get(node.address().socketAddress());
        return link != null ? link : links.silence(node) < heardNanos ? EXCLUDED
            : "it does not answer: it hangs, or the network between it and node " + self.name() + " is cut";
    }

    /** Returns the node of that name, which is a member or has a link to this one; null when there is none. */
    @Nullable
    NodeInfo find(final String name) {
        return Stream.concat(members().stream(), links.all().stream().map(NodeLinks.NodeLink::node)).filter(n -> n.name().equals(name)).findFirst()
            .orElse(null);
    }

    /** Returns why this node does not hear another, in one line; null when it does. */
    @Nullable
    String silence(final String name) {
        final NodeInfo node = find(name);
        final long silent = node == null ? Long.MAX_VALUE : links.silence(node);
        if (silent < heardNanos) {
            return null;
        }
        final String lost = node == null ? null : unlinked.get(node.address().socketAddress());
        return lost != null ? lost : silent == Long.MAX_VALUE ? "it has no link to node " + name
            : String.format(Locale.ROOT, "it has not heard node %s for %.1f s", name, silent / 1e9);
    }

    /** Returns what a probe of the network to a node shows, in one line. Blocks for 8 s at the most. */
    String probe(final String name) {
        final NodeInfo node = find(name);
        final String failure = node == null ? "it has no link to node " + name : LinkProbe.failure(transport, self(), node);
        return failure == null ? "a new link from node " + self().name() + " to node " + name + " passes packets of any size now" : failure;
    }

    /** Returns why a node was excluded that this one hears: which other node does not, and what both know. Blocks. */
    private String separation(final NodeInfo node) {
        for (final NodeInfo other : nodes()) {
            final String here = other.name().equals(self().name()) ? null
                : questions.ask(other.name(), MemberQuestions.class, n -> n.silence(node.name()));
            if (here != null && !here.isEmpty()) {
                final String there = questions.ask(node.name(), MemberQuestions.class, n -> n.silence(other.name()));
                return "node " + other.name() + " does not hear it, and node " + self().name() + " does: node " + other.name() + ": " + here
                    + "; node " + node.name() + ": " + (there == null ? "it does not answer" : there.isEmpty() ? "it hears node " + other.name()
                        : there);
            }
        }
        return EXCLUDED;
    }

    private void changed(final MembershipView view, final List<NodeInfo> lost) {
        final Set<String> names = new HashSet<>(view.names());
        log(view, lost);
        synchronized (this) {
            agreed = agreed.stream().filter(n -> names.contains(n) || !isLeaving(n)).collect(Collectors.toUnmodifiableSet());
        }
        Thread.ofVirtual().name("tutti-agree").start(() -> agree(names));
        for (final NodeInfo node : lost) {
            final String reason = reason(node);
            questions.cancel(node);
            if (!names.contains(node.name()) && isLeaving(node)) {
                membership().forget(node);
            }
            if (reason.equals(EXCLUDED) && !names.contains(node.name())) {
                Thread.ofVirtual().name("tutti-separation").start(() -> lost(node, separation(node)));
            } else {
                lost(node, reason);
            }
        }
        leaving.removeIf(n -> view.members().stream().noneMatch(n::isSameProcess));
        unlinked.keySet().retainAll(view.members().stream().map(n -> n.address().socketAddress()).toList());
        listeners.forEach(Listener::changed);
    }

    private void lost(final NodeInfo node, final String reason) {
        lostNodes.lost(node, reason);
        listeners.forEach(l -> l.lost(node, reason));
    }

    /** Tells a listener of all changes from now on; in the order of these calls. */
    public void listen(final Listener listener) {
        listeners.add(listener);
    }

    /** Returns the nodes that this one has seen lost and not come back. */
    public List<LostNode> lost() {
        return lostNodes.without(nodes());
    }

    /**
     * Makes the nodes of a view the agreed ones when each of them has that view and most of the agreed ones are among them. A part that is cut off
     * loses the others one by one: views that these never get do not count, otherwise both parts could have a majority.
     */
    private void agree(final Set<String> names) {
        final List<String> sorted = names.stream().sorted().toList();
        final List<String> others = names.stream().filter(n -> !n.equals(self().name())).toList();
        while (hasView(sorted) && !hasLeft) {
            if (questions.askEach(others, MemberQuestions.class, n -> n.hasView(sorted)).values().stream().filter(v -> v).count() == others.size()) {
                synchronized (this) {
                    if (hasView(sorted) && 2 * agreed.stream().filter(names::contains).count() > agreed.size()) {
                        agreed = Set.copyOf(names);
                    }
                }
                return;
            }
            LockSupport.parkNanos(AGREE_NANOS);
        }
    }

    /** Returns whether the view has exactly these nodes, whose names are sorted. */
    private boolean hasView(final List<String> names) {
        return names.equals(membership().view().names().stream().sorted().toList());
    }

    /** Returns why this node's part of the cluster must not decide for all; null when it has the majority of the last agreed view. */
    public synchronized @Nullable String minority() {
        final List<String> now = nodes().stream().map(NodeInfo::name).toList();
        final Set<String> missing = new TreeSet<>(agreed);
        missing.removeAll(now);
        missing.removeIf(this::isLeaving);
        final int needed = (int) agreed.stream().filter(n -> now.contains(n) || !isLeaving(n)).count();
        return 2 * (needed - missing.size()) > needed ? null : "node " + self().name() + " reaches " + (needed - missing.size()) + " of the " + needed
            + " nodes of the last agreed view, which is no majority: missing=" + missing;
    }

    /** Returns this node, with its current incarnation. */
    public NodeInfo self() {
        return membership().self();
    }

    /** Returns whether a node is a member. */
    public boolean sees(final String node) {
        return membership().view().names().contains(node);
    }

    /** Returns all nodes, this one first, without members whose links are lost. */
    public List<NodeInfo> nodes() {
        return unlinked.isEmpty() ? members()
            : members().stream().filter(n -> n.name().equals(self().name()) || !unlinked.containsKey(n.address().socketAddress())).toList();
    }

    /** Returns all members, this node first, without those that leave. */
    public List<NodeInfo> members() {
        final NodeInfo self = self();
        return Stream.concat(Stream.of(self), membership().view().members().stream().filter(n -> !n.name().equals(self.name()) && !isLeaving(n))
            .sorted(Comparator.comparing(NodeInfo::name))).toList();
    }

    private boolean isLeaving(final NodeInfo node) {
        return leaving.stream().anyMatch(node::isSameProcess);
    }

    private boolean isLeaving(final String name) {
        return leaving.stream().anyMatch(n -> n.name().equals(name));
    }

    /** Leaves the cluster. Waits a second at most for other nodes. Idempotent. */
    public void leave() {
        synchronized (this) {
            if (hasLeft) {
                return;
            }
            hasLeft = true;
        }
        links.leave();
        membership().leave();
        links.close();
    }
}
