package tutti.daemon.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.membership.Membership;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.MembershipView;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * The cluster of this node: its members are those of a {@link Membership}, whose packets and the questions between nodes go over {@link NodeLinks}.
 * Safe for any thread.
 */
final class Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    /** Reason of a node that was stopped. */
    static final String LEFT = "it has left the cluster";
    /** Reason of a node that other nodes have excluded. */
    private static final String EXCLUDED = "another node does not hear it";
    private static final long ANSWER_SECONDS = 2;
    private static final long SEEN_SECONDS = 10;
    private static final long AGREE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final NodeInfo self;
    private final Transport transport;
    private final NodeLinks links;
    /** A node of which nothing was heard for that long is not heard: members send several signs of life in that time. */
    private final long heardNanos;
    private final BiConsumer<Message.Ask, Consumer<Message>> onQuestion;
    private final BiConsumer<NodeInfo, String> onLost;
    private final Runnable onChange;
    private final Map<Long, Pending> pending = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
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

    /** A question that waits for its answer from the node at an address. */
    private record Pending(InetSocketAddress node, CompletableFuture<Message.Answer> answer) {}

    /**
     * Creates a cluster of this node alone.
     *
     * @param questions receives a question from another node and the consumer of its answer; may block
     * @param lost      receives a lost node and the reason; must not block
     * @param changed   called after each change of the members; must not block
     */
    Cluster(final NodeInfo self, final Transport transport, final MembershipProvider provider, final MembershipSettings settings,
        final BiConsumer<Message.Ask, Consumer<Message>> questions, final BiConsumer<NodeInfo, String> lost, final Runnable changed) {
        this.self = self;
        this.transport = transport;
        this.heardNanos = TimeUnit.MILLISECONDS.toNanos(2 * settings.silenceMillis() / 3);
        this.onQuestion = questions;
        this.onLost = lost;
        this.onChange = changed;
        this.agreed = Set.of(self.name());
        this.links = new NodeLinks(this::self, transport, new LinkEvents());
        opened.complete(provider.open(self, settings, links::send, this::changed));
    }

    private Membership membership() {
        return opened.join();
    }

    /** Receives the events of links. */
    private final class LinkEvents implements NodeLinks.Listener {
        @Override
        public void message(final NodeLinks.NodeLink from, final Message message) {
            switch (message) {
                case Message.Packet p -> membership().received(p.bytes());
                case Message.Leave l -> {
                    leaving.add(from.node());
                    onChange.run();
                }
                case Message.Ask ask -> Thread.ofVirtual().name("tutti-answer").start(() -> onQuestion.accept(ask, from::post));
                case Message.Answer a -> {
                    final Pending question = pending.remove(a.id());
                    if (question != null) {
                        question.answer().complete(a);
                    }
                }
                default -> throw new IllegalStateException("unexpected message between nodes: " + message.getClass().getSimpleName());
            }
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
            pending.values().stream().filter(p -> p.node().equals(peer)).forEach(p -> p.answer().complete(null));
        }
    }

    /** Accepts a link of another node, whose messages use that memory. */
    LinkHandler accept(final Link link, final NodeInfo node, final ControlChannel.Memory memory) throws RefusedException {
        if (hasLeft) {
            throw new RefusedException("node " + self().name() + " has left its cluster");
        }
        if (node.name().equals(self().name())) {
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

    /** Joins the cluster of the node at that address, and waits until all members know it; returns that node. Blocks. */
    NodeInfo join(final HostPort address) throws IOException {
        final List<NodeInfo> there = links.connect(address);
        final NodeInfo seed = there.getFirst();
        membership().join(there);
        final long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(SEEN_SECONDS);
        while (!askAll(Message.Question.SEES, self().name()).stream().allMatch(Message.Answer::done) && System.nanoTime() < limit) {
            LockSupport.parkNanos(SEEN_NANOS);
        }
        LOG.info("joined the cluster of node {} at {}", seed.name(), address);
        return seed;
    }

    /** Nodes that have come, left and were lost since this one started. */
    record Changes(long joined, long left, long lost) {}

    Changes changes() {
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
    private @Nullable NodeInfo find(final String name) {
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
            final Message.Answer here = other.name().equals(self().name()) ? null
                : ask(other.name(), Message.Question.HEARS, node.name(), ANSWER_SECONDS);
            if (here != null && !here.done()) {
                final Message.Answer there = ask(node.name(), Message.Question.HEARS, other.name(), ANSWER_SECONDS);
                return "node " + other.name() + " does not hear it, and node " + self().name() + " does: node " + other.name() + ": " + here.text()
                    + "; node " + node.name() + ": " + (there == null ? "it does not answer" : there.done() ? "it hears node " + other.name()
                        : there.text());
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
            if (!names.contains(node.name()) && isLeaving(node)) {
                membership().forget(node);
            }
            if (reason.equals(EXCLUDED) && !names.contains(node.name())) {
                Thread.ofVirtual().name("tutti-separation").start(() -> onLost.accept(node, separation(node)));
            } else {
                onLost.accept(node, reason);
            }
        }
        leaving.removeIf(n -> view.members().stream().noneMatch(n::isSameProcess));
        unlinked.keySet().retainAll(view.members().stream().map(n -> n.address().socketAddress()).toList());
        onChange.run();
    }

    /**
     * Makes the nodes of a view the agreed ones when each of them has that view and most of the agreed ones are among them. A part that is cut off
     * loses the others one by one: views that these never get do not count, otherwise both parts could have a majority.
     */
    private void agree(final Set<String> names) {
        final String text = String.join(",", new TreeSet<>(names));
        final List<String> others = names.stream().filter(n -> !n.equals(self().name())).toList();
        while (hasView(text) && !hasLeft) {
            if (askEach(others, Message.Question.VIEW, text).values().stream().filter(Message.Answer::done).count() == others.size()) {
                synchronized (this) {
                    if (hasView(text) && 2 * agreed.stream().filter(names::contains).count() > agreed.size()) {
                        agreed = Set.copyOf(names);
                    }
                }
                return;
            }
            LockSupport.parkNanos(AGREE_NANOS);
        }
    }

    /** Returns whether the view has exactly these nodes, whose sorted names have commas between them. */
    boolean hasView(final String names) {
        return names.equals(String.join(",", new TreeSet<>(membership().view().names())));
    }

    /** Returns why this node's part of the cluster must not decide for all; null when it has the majority of the last agreed view. */
    synchronized String minority() {
        final List<String> now = nodes().stream().map(NodeInfo::name).toList();
        final Set<String> missing = new TreeSet<>(agreed);
        missing.removeAll(now);
        missing.removeIf(this::isLeaving);
        final int needed = (int) agreed.stream().filter(n -> now.contains(n) || !isLeaving(n)).count();
        return 2 * (needed - missing.size()) > needed ? null : "node " + self().name() + " reaches " + (needed - missing.size()) + " of the " + needed
            + " nodes of the last agreed view, which is no majority: missing=" + missing;
    }

    /** Returns this node, with its current incarnation. */
    NodeInfo self() {
        return membership().self();
    }

    /** Returns whether a node is a member. */
    boolean sees(final String node) {
        return membership().view().names().contains(node);
    }

    /** Returns all nodes, this one first, without members whose links are lost. */
    List<NodeInfo> nodes() {
        return unlinked.isEmpty() ? members()
            : members().stream().filter(n -> n.name().equals(self().name()) || !unlinked.containsKey(n.address().socketAddress())).toList();
    }

    /** Returns all members, this node first, without those that leave. */
    List<NodeInfo> members() {
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

    /** Asks all other nodes; leaves out nodes that do not answer within 2 s. Blocks. */
    List<Message.Answer> askAll(final Message.Question question, final String argument) {
        return List.copyOf(askEach(nodes().stream().map(NodeInfo::name).toList(), question, argument).values());
    }

    /** Asks some of the other nodes, by name; leaves out nodes that are not members or do not answer within 2 s. Blocks. */
    Map<String, Message.Answer> askEach(final Collection<String> nodes, final Message.Question question, final String argument) {
        return askEach(nodes, question, argument, ANSWER_SECONDS);
    }

    /** Asks some of the other nodes as {@link #askEach(Collection, Message.Question, String)} does; waits that long. */
    Map<String, Message.Answer> askEach(final Collection<String> nodes, final Message.Question question, final String argument, final long seconds) {
        final Map<String, CompletableFuture<Message.Answer>> asked = new TreeMap<>();
        for (final NodeInfo node : nodes().stream().skip(1).filter(n -> nodes.contains(n.name())).toList()) {
            asked.put(node.name(), ask(node, question, argument, seconds));
        }
        final Map<String, Message.Answer> all = new TreeMap<>();
        asked.forEach((name, a) -> {
            final Message.Answer answer = a.exceptionally(e -> null).join();
            if (answer != null) {
                all.put(name, answer);
            }
        });
        return all;
    }

    /** Asks one node; returns null when there is no such node, or no answer within 2 s. Blocks. */
    Message.Answer ask(final String node, final Message.Question question) {
        return askEach(List.of(node), question, "").get(node);
    }

    /**
     * Asks one node, which may be this one, or one that is no member and has a link to this one; returns null when there is none, or no answer in
     * time. Blocks.
     */
    Message.@Nullable Answer ask(final String node, final Message.Question question, final String argument, final long seconds) {
        final CompletableFuture<Message.Answer> answer;
        if (node.equals(self().name())) {
            answer = new CompletableFuture<Message.Answer>().completeOnTimeout(null, seconds, TimeUnit.SECONDS);
            onQuestion.accept(new Message.Ask(0, question, argument), m -> answer.complete((Message.Answer) m));
        } else {
            final NodeInfo other = find(node);
            if (other == null) {
                return null;
            }
            answer = ask(other, question, argument, seconds);
        }
        return answer.exceptionally(e -> null).join();
    }

    /** Asks a node; the result is null when it does not answer in time, or the links to it are lost. */
    private CompletableFuture<Message.Answer> ask(final NodeInfo node, final Message.Question question, final String argument, final long seconds) {
        final long id = ids.incrementAndGet();
        final CompletableFuture<Message.Answer> answer = new CompletableFuture<>();
        pending.put(id, new Pending(node.address().socketAddress(), answer));
        Thread.ofVirtual().name("tutti-ask").start(() -> {
            try {
                links.link(node).post(new Message.Ask(id, question, argument));
            } catch (final IOException | RuntimeException e) {
                LOG.debug("node {} cannot be asked", node.name(), e);
                answer.complete(null);
            }
        });
        return answer.completeOnTimeout(null, seconds, TimeUnit.SECONDS).whenComplete((a, e) -> pending.remove(id));
    }

    /** Leaves the cluster. Waits a second at most for other nodes. */
    void leave() {
        hasLeft = true;
        links.all().forEach(l -> l.post(new Message.Leave()));
        membership().leave();
        links.close();
    }
}
