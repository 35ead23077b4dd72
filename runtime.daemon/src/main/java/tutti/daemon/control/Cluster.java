package tutti.daemon.control;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * Membership of this node in its cluster: a full mesh of links between nodes. A node joins through any member, receives the list of members from
 * it and opens a link to each. A node is lost when its link is lost. Safe for any thread.
 */
final class Cluster {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final NodeInfo self;
    private final Transport transport;
    private final BiConsumer<Message.Ask, Consumer<Message>> onQuestion;
    private final BiConsumer<String, String> onLost;
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<Message.Answer>> pending = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();

    /**
     * Creates a cluster of this node alone.
     *
     * @param questions receives a question from another node and the consumer of its answer; may block
     * @param lost      receives the name of a lost node and the reason
     */
    Cluster(final NodeInfo self, final Transport transport, final BiConsumer<Message.Ask, Consumer<Message>> questions,
        final BiConsumer<String, String> lost) {
        this.self = self;
        this.transport = transport;
        this.onQuestion = questions;
        this.onLost = lost;
    }

    /** Another node and the link to it. When two nodes open links to each other at the same time, both keep the same one. */
    private final class Member implements ChannelReceiver {
        private final ControlChannel channel;
        private final boolean outgoing;
        private volatile NodeInfo node;

        Member(final ControlChannel channel, final NodeInfo node, final boolean outgoing) {
            this.channel = channel;
            this.node = node;
            this.outgoing = outgoing;
        }

        @Override
        public void message(final Message message) {
            switch (message) {
                case Message.Leave l -> gone(this, "it has left the cluster");
                case Message.Ask ask -> Thread.ofVirtual().name("tutti-answer").start(() -> onQuestion.accept(ask, channel::post));
                case Message.Answer a -> {
                    final CompletableFuture<Message.Answer> question = pending.remove(a.id());
                    if (question != null) {
                        question.complete(a);
                    }
                }
                default -> throw new IllegalStateException("unexpected message between nodes: " + message.getClass().getSimpleName());
            }
        }

        @Override
        public void closed(final String reason) {
            gone(this, reason);
        }
    }

    /** Accepts the link of a node that joins. */
    LinkHandler accept(final Link link, final NodeInfo node) throws RefusedException {
        if (node.name().equals(self.name())) {
            throw new RefusedException("name is taken by this node: name=" + node.name() + "; start it with another --name");
        }
        final Member known = members.get(node.name());
        if (known != null && !known.node.incarnation().equals(node.incarnation())) {
            throw new RefusedException("name is taken in this cluster: name=" + node.name() + "; start it with another --name");
        }
        final Member[] member = new Member[1];
        final ControlChannel channel = ControlChannel.open(c -> member[0] = new Member(c, node, false));
        channel.attach(link);
        enter(member[0]);
        Thread.ofVirtual().name("tutti-welcome").start(() -> channel.post(new Message.Members(nodes())));
        return channel;
    }

    /** Joins the cluster of the node at that address, and waits until this node is linked to all members; returns that node. */
    NodeInfo join(final HostPort address) throws IOException {
        final NodeInfo seed = link(address);
        LOG.info("joined the cluster of node {} at {}", seed.name(), address);
        return seed;
    }

    private NodeInfo link(final HostPort address) throws IOException {
        final CompletableFuture<List<NodeInfo>> known = new CompletableFuture<>();
        final Member[] member = new Member[1];
        final ControlChannel channel = ControlChannel.open(c -> {
            member[0] = new Member(c, null, true);
            return new IntroductionReceiver(member[0], known);
        });
        channel.attach(transport.connect(address.socketAddress(), new Hello(Protocol.NODE,
            MessageCodec.write(new NodeHello(Protocol.VERSION, self, null))), channel, LIMIT));
        final List<NodeInfo> others;
        try {
            others = known.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final Exception e) {
            channel.close();
            throw new IOException("node at " + address + " did not send its list of members: " + Protocol.oneLine(e), e);
        }
        for (final NodeInfo other : others) {
            if (!other.name().equals(self.name()) && !members.containsKey(other.name())) {
                link(other.address());
            }
        }
        return others.getFirst();
    }

    /** Receiver on a link that this node opened: takes the peer's list of members first, then passes messages to the member. */
    private final class IntroductionReceiver implements ChannelReceiver {
        private final Member member;
        private final CompletableFuture<List<NodeInfo>> known;

        IntroductionReceiver(final Member member, final CompletableFuture<List<NodeInfo>> known) {
            this.member = member;
            this.known = known;
        }

        @Override
        public void message(final Message message) {
            if (member.node == null && message instanceof Message.Members m) {
                member.node = m.nodes().getFirst();
                enter(member);
                known.complete(m.nodes());
            } else {
                member.message(message);
            }
        }

        @Override
        public void closed(final String reason) {
            known.completeExceptionally(new IOException(reason));
            if (member.node != null) {
                member.closed(reason);
            }
        }
    }

    private void enter(final Member member) {
        members.merge(member.node.name(), member, (old, added) -> {
            // both nodes opened a link at the same time: the link opened by the node with the smaller name is kept
            final boolean keepOutgoing = self.name().compareTo(member.node.name()) < 0;
            return old.outgoing == keepOutgoing ? old : added;
        });
    }

    private void gone(final Member member, final String reason) {
        if (members.remove(member.node.name(), member)) {
            LOG.info("node {} is gone: {}", member.node.name(), reason);
            onLost.accept(member.node.name(), reason);
        }
    }

    /** Returns all nodes, this one first. */
    List<NodeInfo> nodes() {
        final List<NodeInfo> nodes = new ArrayList<>();
        nodes.add(self);
        members.values().stream().map(m -> m.node).sorted(Comparator.comparing(NodeInfo::name)).forEach(nodes::add);
        return nodes;
    }

    /** Asks all other nodes; leaves out nodes that do not answer within 2 s. Blocks. */
    List<Message.Answer> askAll(final Message.Question question, final String argument) {
        return List.copyOf(askEach(members.keySet(), question, argument).values());
    }

    /** Asks some of the other nodes, by name; leaves out nodes that are not members or do not answer within 2 s. Blocks. */
    Map<String, Message.Answer> askEach(final Collection<String> nodes, final Message.Question question, final String argument) {
        final Map<String, CompletableFuture<Message.Answer>> asked = new TreeMap<>();
        members.forEach((name, m) -> {
            if (nodes.contains(name)) {
                asked.put(name, ask(m, question, argument));
            }
        });
        final Map<String, Message.Answer> all = new TreeMap<>();
        asked.forEach((name, a) -> {
            final Message.Answer answer = a.completeOnTimeout(null, 2, TimeUnit.SECONDS).exceptionally(e -> null).join();
            if (answer != null) {
                all.put(name, answer);
            }
        });
        return all;
    }

    /** Asks one node; returns null when there is no such node, or no answer within 2 s. Blocks. */
    Message.Answer ask(final String node, final Message.Question question) {
        final Member member = members.get(node);
        return member == null ? null : ask(member, question, "").completeOnTimeout(null, 2, TimeUnit.SECONDS).join();
    }

    private CompletableFuture<Message.Answer> ask(final Member member, final Message.Question question, final String argument) {
        final long id = ids.incrementAndGet();
        final CompletableFuture<Message.Answer> answer = new CompletableFuture<>();
        pending.put(id, answer);
        member.channel.post(new Message.Ask(id, question, argument));
        return answer.whenComplete((a, e) -> pending.remove(id));
    }

    /** Leaves the cluster. */
    void leave() {
        for (final Member m : members.values()) {
            m.channel.post(new Message.Leave());
            m.channel.close();
        }
        members.clear();
    }
}
