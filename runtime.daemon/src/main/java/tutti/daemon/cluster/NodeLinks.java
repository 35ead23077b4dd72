package tutti.daemon.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Transport;

/**
 * Links of this node to other nodes, by the address on which the other one listens. A link is opened by the first packet or question, or by the
 * other node. Safe for any thread.
 */
final class NodeLinks {
    /** Time after a failed attempt to connect during which packets to that address are dropped. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int MAX_WAITING = 256;

    private final Transport transport;
    private final Listener listener;
    private final Map<InetSocketAddress, List<NodeLink>> links = new ConcurrentHashMap<>();
    private final Map<InetSocketAddress, Attempt> attempts = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    /** Messages between the two ends of a link. */
    interface Messages {
        /** Tells the node that has opened the link which nodes the other one knows, itself first. */
        void members(List<NodeInfo> nodes);

        /** Sends a packet of the membership. */
        void packet(byte[] bytes);

        /** Announces that the sender stops. */
        void leave();
    }

    /** Receives the events of the links. Must not block. */
    interface Listener {
        /** Receives a packet of the membership. */
        void packet(byte[] bytes);

        /** Notifies that a node has announced to leave. */
        void leaving(NodeInfo node);

        /** Serves what nodes ask each other, in the conversation of a new link. */
        void serve(Conversation conversation);

        /** Returns the nodes that this node tells a node which opens a link, itself first. */
        List<NodeInfo> members();

        /** Notifies that there is a link to an address. */
        void linked(InetSocketAddress peer);

        /** Notifies that the last link to an address is lost. */
        void lost(InetSocketAddress peer, String reason);
    }

    /** Attempt to connect to an address, and the packets that wait for it; one that failed is kept as long as packets are dropped. */
    private static final class Attempt {
        private final Queue<byte[]> waiting = new ArrayDeque<>();
        private long failedAt;
        private boolean hasFailed;
    }

    /** One link to another node. */
    final class NodeLink implements ControlChannel.CloseListener, Messages {
        private final ControlChannel channel;
        private final Messages peer;
        /** The node, then the members that it named when this node opened the link. */
        private final CompletableFuture<List<NodeInfo>> members = new CompletableFuture<>();
        /** Null until it is known. */
        private @Nullable InetSocketAddress address;
        private boolean hasEnded;
        /** When the last message arrived. */
        private volatile long heard = System.nanoTime();

        private NodeLink(final ControlChannel channel) {
            this.channel = channel;
            final Conversation conversation = channel.conversation().serve(Messages.class, this);
            listener.serve(conversation);
            this.peer = conversation.peer(Messages.class);
        }

        /** Returns an object whose methods the other node serves. */
        <T> T peer(final Class<T> type) {
            return channel.conversation().peer(type);
        }

        /** Returns the node. */
        NodeInfo node() {
            return members.join().getFirst();
        }

        @Override
        public void members(final List<NodeInfo> nodes) {
            if (nodes.isEmpty()) {
                // Cause: the job ended while a part of it was prepared.
                throw new IllegalStateException("list of members is empty");
            }
            members.complete(List.copyOf(nodes));
        }

        @Override
        public void packet(final byte[] bytes) {
            heard = System.nanoTime();
            listener.packet(bytes);
        }

        @Override
        public void leave() {
            listener.leaving(node());
        }

        @Override
        public void closed(final String reason) {
            members.completeExceptionally(new IOException(reason));
            final InetSocketAddress peer;
            synchronized (this) {
                hasEnded = true;
                peer = address;
            }
            if (peer != null) {
                remove(peer, reason);
            }
        }

        /** Makes this link one of those to an address, unless it is closed. */
        private void enter(final InetSocketAddress peer) {
            synchronized (this) {
                if (hasEnded) {
                    return;
                }
                address = peer;
                links.compute(peer, (a, all) -> {
                    final List<NodeLink> next = all == null ? new CopyOnWriteArrayList<>() : all;
                    next.add(this);
                    return next;
                });
            }
            listener.linked(peer);
        }

        private void remove(final InetSocketAddress peer, final String reason) {
            final boolean[] isLast = new boolean[1];
            links.computeIfPresent(peer, (a, all) -> {
                isLast[0] = all.remove(this) && all.isEmpty();
                return all.isEmpty() ? null : all;
            });
            if (isLast[0] && !isClosed) {
                listener.lost(peer, reason);
            }
        }
    }

    NodeLinks(final Transport transport, final Listener listener) {
        this.transport = transport;
        this.listener = listener;
    }

    private NodeInfo self() {
        return listener.members().getFirst();
    }

    /** Accepts a link that another node opened. */
    LinkHandler accept(final Link link, final NodeInfo node, final ControlChannel.Memory memory) {
        final NodeLink[] made = new NodeLink[1];
        final ControlChannel channel = ControlChannel.open(c -> made[0] = new NodeLink(c), memory);
        made[0].members.complete(List.of(node));
        channel.attach(link);
        // the name of its host may have to be resolved
        Thread.ofVirtual().name("tutti-welcome").start(() -> {
            made[0].enter(node.address().socketAddress());
            made[0].peer.members(listener.members());
        });
        return channel;
    }

    /** Returns whether there is a link to a node. */
    boolean isLinked(final NodeInfo node) {
        return links.containsKey(node.address().socketAddress());
    }

    /** Returns for how long nothing was heard of a node, in nanoseconds; the largest number when there is no link to it. */
    long silence(final NodeInfo node) {
        final long now = System.nanoTime();
        return links.getOrDefault(node.address().socketAddress(), List.of()).stream().mapToLong(l -> now - l.heard).min().orElse(Long.MAX_VALUE);
    }

    /** Returns all links. */
    Collection<NodeLink> all() {
        return links.values().stream().flatMap(List::stream).toList();
    }

    /** Returns the node at an address, to which there is a link then, and the members that it has named. Blocks. */
    List<NodeInfo> connect(final HostPort address) throws IOException {
        return link(address.socketAddress()).members.join();
    }

    /** Returns a link to a node; opens it when there is none. Blocks. */
    NodeLink link(final NodeInfo node) throws IOException {
        return link(node.address().socketAddress());
    }

    private NodeLink link(final InetSocketAddress peer) throws IOException {
        final NodeLink existing = existing(peer);
        if (existing != null) {
            return existing;
        }
        if (isClosed) {
            // Cause: the node was cut off, and starts anew. Remedy: wait.
            throw new IOException("node " + self().name() + " has left its cluster");
        }
        final NodeLink[] made = new NodeLink[1];
        final ControlChannel channel = ControlChannel.open(c -> made[0] = new NodeLink(c));
        channel.attach(transport.connect(peer, new Hello(Protocol.NODE, MessageCodec.write(new NodeHello(Protocol.VERSION, self(), null))),
            channel, Protocol.LINK_LIMIT));
        final NodeLink link = made[0];
        try {
            final NodeInfo node = link.members.get(Protocol.LINK_LIMIT.toMillis(), TimeUnit.MILLISECONDS).getFirst();
            // not the address that was asked, of which there may be several
            link.enter(node.address().socketAddress());
        } catch (final Exception e) {
            channel.close();
            // Cause: the node of `--join` ends, or runs another release. Remedy: try again; the same release everywhere.
            throw new IOException(
                "node at " + peer.getHostString() + ":" + peer.getPort() + " did not send its list of members: " + Protocol.oneLine(e),
                e);
        }
        return link;
    }

    private @Nullable NodeLink existing(final InetSocketAddress peer) {
        final List<NodeLink> all = links.getOrDefault(peer, List.of());
        try {
            return all.getFirst();
        } catch (final java.util.NoSuchElementException e) {
            return null;
        }
    }

    /** Sends a packet, when there is a link, which is opened if necessary. Does not block. */
    void send(final InetSocketAddress to, final byte[] packet) {
        final NodeLink link = existing(to);
        if (link != null) {
            link.peer.packet(packet);
            return;
        }
        attempts.compute(to, (a, old) -> {
            if (isClosed) {
                return null;
            }
            final boolean isNew = old == null || old.hasFailed && System.nanoTime() - old.failedAt > RETRY_NANOS;
            final Attempt attempt = isNew ? new Attempt() : old;
            if (!attempt.hasFailed && attempt.waiting.size() < MAX_WAITING) {
                attempt.waiting.add(packet);
            }
            if (isNew) {
                Thread.ofVirtual().name("tutti-connect").start(() -> attempt(to));
            }
            return attempt;
        });
    }

    private void attempt(final InetSocketAddress to) {
        try {
            final NodeLink link = link(to);
            attempts.computeIfPresent(to, (a, attempt) -> {
                attempt.waiting.forEach(link.peer::packet);
                return null;
            });
        } catch (final IOException | RuntimeException e) {
            attempts.computeIfPresent(to, (a, attempt) -> {
                attempt.waiting.clear();
                attempt.hasFailed = true;
                attempt.failedAt = System.nanoTime();
                return attempt;
            });
        }
    }

    /** Announces on all links that this node stops. */
    void leave() {
        all().forEach(l -> l.peer.leave());
    }

    /** Closes all links, when what was posted is sent. */
    void close() {
        isClosed = true;
        all().forEach(l -> l.channel.close());
        attempts.clear();
    }
}
