package tutti.daemon.membership.jgroups;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.membership.Membership;
import tutti.daemon.membership.MembershipListener;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.MembershipView;
import tutti.daemon.membership.PacketSender;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.liveness.PeerLifeline;

/**
 * Membership by a channel of JGroups, which is opened when the node joins another, or another one sends it a packet.
 *
 * <p>When parts of a cluster that were separated merge, the largest one continues, and the nodes of the others get a new incarnation, which they tell
 * all others.
 *
 * <p><b>Threads.</b> {@link #opening} guards the change of channels; this object guards the members. Views arrive on threads of JGroups.
 */
final class JGroupsMembership implements Membership, Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(JGroupsMembership.class);
    private static final long SEEK_MILLIS = 1_000;
    private static final int MAX_KNOWN = 256;
    /** Kind of a message to the members: the sender's new incarnation. */
    private static final char INCARNATION = 'i';
    private static final int MAX_EARLY = 256;

    private final MembershipSettings settings;
    private final PacketSender packets;
    private final MembershipListener listener;
    private final ReentrantLock opening = new ReentrantLock();
    /** Packets that arrived before the channel was connected. */
    private final Queue<byte[]> early = new ArrayDeque<>();
    /** Addresses of nodes that are or were members; lost ones may come back. */
    private final Set<PhysicalAddress> known = new LinkedHashSet<>();
    private Map<Address, NodeInfo> members = Map.of();
    /** Incarnations that members have got since they joined. */
    private final Map<Address, String> renewed = new LinkedHashMap<>();
    private boolean isOpening;
    private boolean isClosed;
    private volatile NodeInfo self;
    private volatile MembershipView view;
    private volatile @Nullable MembershipStack stack;
    /** The transport that receives packets; null until there is a channel. */
    private volatile @Nullable PacketTransport receiving;

    JGroupsMembership(final NodeInfo self, final MembershipSettings settings, final PacketSender packets, final MembershipListener listener) {
        this.self = self;
        this.settings = settings;
        this.packets = packets;
        this.listener = listener;
        this.view = new MembershipView(0, List.of(self));
        if (settings.discovery() != MembershipSettings.Discovery.LIST) {
            openInBackground();
        }
    }

    @Override
    public NodeInfo self() {
        return self;
    }

    @Override
    public MembershipView view() {
        return view;
    }

    @Override
    public void join(final List<NodeInfo> cluster) throws IOException {
        final NodeInfo other = cluster.getFirst();
        // one of them lets nodes in, and only that one answers the search of a node that joins at once
        cluster.stream().filter(n -> !n.address().equals(self.address())).forEach(n -> know(MembershipStack.physical(n.address())));
        if (!isMember(other)) {
            open();
        }
        awaitMember(other);
    }

    private boolean isMember(final NodeInfo other) {
        return view.members().stream().anyMatch(m -> m.name().equals(other.name()) && m.address().equals(other.address()));
    }

    /** Waits until a node is a member, as long as its process is there. */
    private void awaitMember(final NodeInfo other) throws IOException {
        final String what = "node " + other.name() + " at " + other.address() + " does not become a member";
        try (PeerLifeline lifeline = new PeerLifeline(other.address().socketAddress())) {
            final LiveWait wait = new LiveWait(what + ", since it or another one is busy or stopped",
                () -> lifeline.look(PeerLifeline.HOST_LIMIT) == PeerLifeline.Life.PROCESS, LOG::warn);
            while (!awaitView(other)) {
                if (!wait.goesOn()) {
                    // Remedy: look at the network and the other nodes.
                    throw new IOException(what + ": it has ended, or its host does not answer");
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Waits for a while; returns whether a node is a member, or this one has left. */
    private synchronized boolean awaitView(final NodeInfo other) throws InterruptedException {
        final MembershipStack now = stack;
        if (!isMember(other) && !isClosed) {
            if (now != null) {
                now.seek();
            }
            TimeUnit.MILLISECONDS.timedWait(this, SEEK_MILLIS);
        }
        return isMember(other) || isClosed;
    }

    /** Adds the address of a node, which is tried when the cluster looks for lost parts. */
    private synchronized void know(final PhysicalAddress address) {
        known.remove(address);
        known.add(address);
        if (known.size() > MAX_KNOWN) {
            known.remove(known.iterator().next());
        }
        final MembershipStack now = stack;
        if (now != null) {
            now.know(known);
        }
    }

    @Override
    public synchronized void forget(final NodeInfo node) {
        final MembershipStack now = stack;
        if (known.remove(MembershipStack.physical(node.address())) && now != null) {
            now.know(known);
        }
    }

    /** Connects the channel to the nodes that are known, unless that was done. Blocks. */
    private void open() throws IOException {
        opening.lock();
        try {
            final MembershipStack made;
            synchronized (this) {
                if (isClosed || stack != null) {
                    return;
                }
                made = new MembershipStack(self, settings, packets, known, this);
                stack = made;
            }
            connect(made);
        } catch (final Exception e) {
            // Cause: the discovery cannot be used, for the reason that follows. Remedy: correct it.
            throw new IOException("membership cannot be opened: " + e.getMessage(), e);
        } finally {
            opening.unlock();
        }
    }

    private void connect(final MembershipStack made) throws Exception {
        if (made.expectsOthers()) {
            // answers must arrive while it connects
            receiving = made.transport();
        }
        boolean isConnected = false;
        try {
            made.connect();
            isConnected = true;
        } finally {
            if (!isConnected) {
                receiving = null;
                stack = null;
                made.close();
            }
        }
        // a node that expects nobody begins a cluster before it sees one that joins: it would ask that one, which is not a member yet, to let it join
        receive(made.transport());
    }

    /** Passes packets to the transport from now on, those that arrived early first. */
    private void receive(final PacketTransport transport) {
        synchronized (early) {
            for (byte[] packet = early.poll(); packet != null; packet = early.poll()) {
                transport.received(packet);
            }
            receiving = transport;
        }
    }

    @Override
    public void prepare() {
        if (stack == null) {
            openInBackground();
        }
    }

    private void openInBackground() {
        synchronized (this) {
            if (isOpening || isClosed || stack != null) {
                return;
            }
            isOpening = true;
        }
        Thread.ofPlatform().daemon().name("tutti-membership").start(() -> {
            try {
                open();
            } catch (final IOException | LinkageError e) {
                // the initializer of a class of JGroups fails where network interfaces cannot be listed
                // Cause: the addresses of `--join`, or the discovery of the configuration, cannot be used. Remedy: correct them, and start the node
                // again.
                LOG.error("node {} cannot find other nodes: {}", self.name(), e.getMessage(), e);
            } finally {
                synchronized (this) {
                    isOpening = false;
                }
            }
        });
    }

    private static NodeInfo renewed(final NodeInfo node) {
        return withIncarnation(node, HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    }

    private static NodeInfo withIncarnation(final NodeInfo node, final @Nullable String incarnation) {
        return incarnation == null ? node
            : new NodeInfo(node.name(), incarnation, node.host(), node.port(), node.pid(), node.java(), node.cores(), node.since());
    }

    @Override
    public void received(final byte[] packet) {
        PacketTransport transport = receiving;
        if (transport == null) {
            synchronized (early) {
                // it may be there since
                transport = receiving;
                if (transport == null && early.size() < MAX_EARLY) {
                    early.add(packet);
                }
            }
        }
        if (transport == null) {
            openInBackground();
        } else {
            transport.received(packet);
        }
    }

    @Override
    public void suspect(final InetSocketAddress peer) {
        final PacketTransport transport = receiving;
        if (transport == null) {
            return;
        }
        final Set<Address> now;
        synchronized (this) {
            now = members.keySet();
        }
        Thread.ofVirtual().name("tutti-suspect").start(() -> transport.suspect(now, peer));
    }

    @Override
    public void viewAccepted(final View next) {
        final List<NodeInfo> lost = new ArrayList<>();
        final boolean announce;
        final MembershipStack now = stack;
        synchronized (this) {
            if (isClosed || now == null) {
                return;
            }
            final Address own = now.address();
            final Set<Address> separated = new LinkedHashSet<>();
            boolean isRenewed = renewed.containsKey(own);
            if (next instanceof MergeView merge) {
                merge.getSubgroups().stream().filter(s -> !s.containsMember(own)).forEach(s -> separated.addAll(s.getMembers()));
                if (!continuing(merge).containsMember(own)) {
                    self = renewed(self);
                    renewed.put(own, self.incarnation());
                    isRenewed = true;
                }
            }
            members.forEach((address, node) -> {
                if (!next.containsMember(address) || separated.contains(address)) {
                    lost.add(node);
                }
            });
            renewed.keySet().retainAll(next.getMembers());
            // others may have forgotten it in views without this node, of which this node need not know
            announce = isRenewed && (next instanceof MergeView || !members.keySet().containsAll(next.getMembers()));
            final Map<Address, NodeInfo> nodes = new LinkedHashMap<>();
            next.getMembers().forEach(a -> nodes.put(a, withIncarnation(NodeAddress.node(a), renewed.get(a))));
            members = nodes;
            nodes.values().stream().filter(n -> !n.name().equals(self.name())).forEach(n -> know(MembershipStack.physical(n.address())));
            publish(next.getViewId().getId(), lost);
        }
        if (announce) {
            // a view must not wait for the message, which needs the view
            now.repeat(this::announce);
        }
    }

    /** Returns the part of a cluster that continues after a merge: the largest one; of those, the one with the first name. */
    private static View continuing(final MergeView merge) {
        return merge.getSubgroups().stream().min(Comparator.comparingInt((final View s) -> -s.size())
            .thenComparing(s -> s.getMembers().stream().map(m -> NodeAddress.node(m).name()).min(Comparator.naturalOrder()).orElse("")))
            .orElse(merge);
    }

    /** Publishes the members as a view. A name that two members have is that of the later one: the other one was killed and is not noticed yet. */
    private void publish(final long number, final List<NodeInfo> lost) {
        final Map<String, NodeInfo> byName = new LinkedHashMap<>();
        members.values().forEach(n -> byName.put(n.name(), n));
        view = new MembershipView(number, List.copyOf(byName.values()));
        notifyAll();
        listener.changed(view, lost);
    }

    private void announce() {
        send(INCARNATION, self.incarnation());
    }

    private void send(final char kind, final String text) {
        final MembershipStack now = stack;
        try {
            if (now != null) {
                now.channel().send(new BytesMessage(null, (kind + text).getBytes(StandardCharsets.UTF_8)));
            }
        } catch (final Exception e) {
            LOG.debug("channel is closed", e);
        }
    }

    /** Receives a message of a member. */
    @Override
    public void receive(final Message message) {
        final String text = new String(message.getArray(), message.getOffset(), message.getLength(), StandardCharsets.UTF_8);
        switch (text.charAt(0)) {
            case INCARNATION -> renew(message.getSrc(), text.substring(1));
            // Cause: a node of the cluster runs another release. Remedy: the same release everywhere.
            default -> LOG.warn("unknown message of a member: member={}, kind={}", message.getSrc(), text.charAt(0));
        }
    }

    private synchronized void renew(final Address member, final String incarnation) {
        final NodeInfo node = members.get(member);
        if (node != null && !node.incarnation().equals(incarnation)) {
            renewed.put(member, incarnation);
            final Map<Address, NodeInfo> nodes = new LinkedHashMap<>(members);
            nodes.put(member, withIncarnation(node, incarnation));
            members = nodes;
            publish(view.number(), List.of());
        }
    }

    @Override
    public void leave() {
        final MembershipStack last;
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        opening.lock();
        try {
            last = stack;
            receiving = last == null ? null : receiving;
            stack = null;
        } finally {
            opening.unlock();
        }
        if (last != null) {
            last.close();
        }
        receiving = null;
    }
}
