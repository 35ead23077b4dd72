package tutti.daemon.cluster;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.NodeLimits;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/**
 * Links of commands and nodes that this node serves. They end with the node, although the transport goes on.
 *
 * <p>Their number is bounded, as is the number of those of commands, so that nodes get in during a flood of commands. A link is closed on which
 * nothing happens for a while, unless the node is at work for its peer: then either may be silent for any time. What is refused or closed is logged
 * once a period.
 *
 * <p><b>Threads.</b> Safe for any thread. A thread of its own looks for idle links; {@link #serve} is called by the I/O thread alone, so that the
 * bounds are exact.
 */
@Component(service = ServedChannels.class)
public final class ServedChannels {
    private static final Logger LOG = LoggerFactory.getLogger(ServedChannels.class);
    private static final long MAX_TICK_MILLIS = 5_000;

    private final String node;
    private final NodeLimits limits;
    private final ControlChannel.Memory memory;
    private final Set<Served> open = ConcurrentHashMap.newKeySet();
    private final RefusalPeriod refused = RefusalPeriod.ofOneReason();
    private final RefusalPeriod idle = RefusalPeriod.ofOneReason();
    private final RefusalPeriod violations = RefusalPeriod.ofManyReasons();
    private final Thread watch;
    private volatile boolean closed;

    /** Kind of peer that opens a link. */
    public enum Kind {
        /** A command. */
        COMMAND("commands"),
        /** A node that coordinates a job, for its part on this node. */
        JOB("nodes"),
        /** A node that keeps copies of checkpoints here, or fetches some. */
        CHECKPOINT("nodes"),
        /** A node that coordinates a change of modules. */
        CHANGE("nodes"),
        /** A node, for membership and questions. */
        NODE("nodes");

        private final String peers;

        Kind(final String peers) {
            this.peers = peers;
        }
    }

    /** Creates the channels of a node, which close when the node that opened them is lost. */
    @Activate
    public ServedChannels(@Reference(name = "node") final ListeningNode node, @Reference(name = "cluster") final Cluster cluster) {
        this(node.name(), node.settings().limits());
        cluster.listen(new Cluster.Listener() {
            @Override
            public void lost(final NodeInfo lost, final String reason) {
                close(lost);
            }
        });
    }

    ServedChannels(final String node, final NodeLimits limits) {
        this.node = node;
        this.limits = limits;
        this.memory = new ControlChannel.Memory(limits.messages(), NodeProperties.MESSAGES);
        this.watch = Thread.ofVirtual().name("tutti-idle").inheritInheritableThreadLocals(false).start(this::watch);
    }

    /**
     * Serves a link that was accepted; returns its handler.
     *
     * @param peer     node that opened the link; null for a command
     * @param receiver serves its calls
     * @param isBusy   returns whether the link may be silent although no call is under way
     */
    public <R extends ControlChannel.CloseListener> LinkHandler serve(final Kind kind, final @Nullable NodeInfo peer, final Link link,
        final Function<ControlChannel, R> receiver,
        final Predicate<R> isBusy) throws RefusedException {
        check(kind, link);
        final AtomicReference<R> made = new AtomicReference<>();
        final ControlChannel channel = ControlChannel.open(c -> {
            final R now = receiver.apply(c);
            made.set(now);
            return now;
        }, memory).attach(link);
        final R serving = made.get();
        return add(new Served(kind, peer, link, channel, channel, () -> channel.conversation().isBusy() || isBusy.test(serving)));
    }

    /** Serves a link as the other form does, which may be silent while a call is under way. */
    public LinkHandler serve(final Kind kind, final @Nullable NodeInfo peer, final Link link,
        final Function<ControlChannel, ControlChannel.CloseListener> receiver) throws RefusedException {
        return serve(kind, peer, link, receiver, serving -> false);
    }

    /** Opens the handler of a link between nodes. */
    public interface NodeLinkOpener {
        /** Returns the handler of a link, whose messages use that memory. */
        LinkHandler open(ControlChannel.Memory memory) throws RefusedException;
    }

    /** Serves a link between nodes, whose handler closes it with the node. */
    public LinkHandler serve(final Link link, final NodeLinkOpener opener, final BooleanSupplier isBusy) throws RefusedException {
        check(Kind.NODE, link);
        return add(new Served(Kind.NODE, null, link, opener.open(memory), null, isBusy));
    }

    private Served add(final Served served) {
        open.add(served);
        return served;
    }

    private void check(final Kind kind, final Link link) throws RefusedException {
        final long all = open.size();
        final long commands = kind == Kind.COMMAND ? open.stream().filter(s -> s.kind == Kind.COMMAND).count() : 0;
        final String what;
        if (all >= limits.connections()) {
            what = "connections=" + all + ", limit=" + NodeProperties.CONNECTIONS;
        } else if (kind == Kind.COMMAND && commands >= limits.commands()) {
            what = "commands=" + commands + ", limit=" + NodeProperties.CONNECTIONS + "*3/4";
        } else {
            return;
        }
        final long links = refused.count();
        if (links > 0) {
            // Cause: the node has as many links as its [bound](security.md#bounds-of-a-node) permits. Remedy: raise the limit, if the peers are
            // yours.
            LOG.warn("links refused: links={}, last={} of {}, {}", links, link.peer(), kind.peers, what);
        }
        throw new RefusedException("too many connections: node=" + node + ", " + what + "; try again later, or raise the limit in the node's "
            + "configuration");
    }

    /** Returns the number of links of a kind whose peers this node is at work for. */
    public long busy(final Kind kind) {
        return open.stream().filter(s -> s.kind == kind && s.isBusy.getAsBoolean()).count();
    }

    private void watch() {
        final long tick = TimeUnit.MILLISECONDS.toNanos(Math.clamp(limits.idleMillis() / 4, 1, MAX_TICK_MILLIS));
        while (!closed) {
            LockSupport.parkNanos(tick);
            final long now = System.nanoTime();
            for (final Served s : open) {
                if (s.isIdle(now)) {
                    end(s);
                }
            }
        }
    }

    private void end(final Served s) {
        final long links = idle.count();
        if (links > 0) {
            // Cause: a peer was silent for too long. Remedy: look at the peer and the network.
            LOG.warn("links closed on which nothing happened: links={}, last={} of {}, millis={}, limit={}", links, s.link.peer(), s.kind.peers,
                limits.idleMillis(), NodeProperties.IDLE);
        }
        // not the channel: it would wait for a peer that does not read
        s.link.close();
    }

    /**
     * Closes channels when what was posted to them is sent.
     *
     * @param areCommandsLeft whether the channels of commands stay open
     */
    public void close(final boolean areCommandsLeft) {
        closed = true;
        LockSupport.unpark(watch);
        open.stream().filter(s -> !areCommandsLeft || s.kind != Kind.COMMAND).map(s -> s.channel).filter(Objects::nonNull)
            .forEach(ControlChannel::close);
    }

    /** Closes the channels that a node opened, but not those of a later process of the same name. */
    void close(final NodeInfo node) {
        open.stream().filter(s -> s.peer != null && node.isSameProcess(s.peer) && s.channel != null).map(s -> s.channel)
            .forEach(ControlChannel::close);
    }

    private final class Served implements LinkHandler {
        private final Kind kind;
        /** Null for a command, and for a link between nodes. */
        private final @Nullable NodeInfo peer;
        private final Link link;
        private final LinkHandler handler;
        /** Null for a link between nodes. */
        private final @Nullable ControlChannel channel;
        private final BooleanSupplier isBusy;
        private volatile boolean active;
        /** Belongs to the thread that looks for idle links. */
        private long since = System.nanoTime();

        Served(final Kind kind, final @Nullable NodeInfo peer, final Link link, final LinkHandler handler, final @Nullable ControlChannel channel,
            final BooleanSupplier isBusy) {
            this.kind = kind;
            this.peer = peer;
            this.link = link;
            this.handler = handler;
            this.channel = channel;
            this.isBusy = isBusy;
        }

        private boolean isIdle(final long now) {
            if (active || isBusy.getAsBoolean()) {
                active = false;
                since = now;
            }
            return now - since >= TimeUnit.MILLISECONDS.toNanos(limits.idleMillis());
        }

        @Override
        public void frame(final Link from, final MemorySegment bytes, final long offset, final int length) {
            active = true;
            handler.frame(from, bytes, offset, length);
        }

        @Override
        public void writable(final Link to) {
            handler.writable(to);
        }

        @Override
        public void closed(final Link of, final @Nullable Throwable cause) {
            open.remove(this);
            // of this node, not of the link
            if (cause != null && !(cause instanceof IOException)) {
                final long links = violations.count();
                if (links > 0) {
                    // Cause: a peer sent what the protocol does not permit. Remedy: the same release everywhere; otherwise look who it is.
                    LOG.warn("links closed for what they received: links={}, last={} of {}, reason={}", links, of.peer(), kind.peers,
                        Protocol.oneLine(cause));
                }
            }
            handler.closed(of, cause);
        }
    }
}
