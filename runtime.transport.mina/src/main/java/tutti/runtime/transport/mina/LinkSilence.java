package tutti.runtime.transport.mina;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a link is lost from which no bytes arrive. The peer lives while its connection is open and its host answers: it is busy or stopped,
 * and sends heartbeats when it runs again. The kernel of its host ends the connection with the peer. A link is lost as well when its peer runs and
 * packets of full size do not reach it, or not come back.
 *
 * <p>At the end of each half of the time of silence, a thread looks whether the host answers, for as long as the other half, and then at the packets.
 * Used by the I/O thread.
 */
final class LinkSilence {
    private static final Logger LOG = LoggerFactory.getLogger(LinkSilence.class);

    private final SocketChannel channel;
    private final String peer;
    private final TransportSettings settings;
    /** Null on the side that listens, which has no address of the peer. */
    private final @Nullable PacketLook packets;
    /** Null while bytes arrive. */
    private @Nullable Looks looks;

    LinkSilence(final SocketChannel channel, final String peer, final TransportSettings settings, final @Nullable PacketLook packets) {
        this.channel = channel;
        this.peer = peer;
        this.settings = settings;
        this.packets = packets;
    }

    /** Looks at a host, on threads of their own; closed by the I/O thread. */
    private final class Looks {
        private final TransportSettings.HostLook host;
        private volatile @Nullable Thread looking;
        private volatile @Nullable String loss;

        Looks(final InetSocketAddress address) {
            host = settings.hosts().apply(address);
        }

        void look() {
            if (looking == null) {
                final Thread next = thread(() -> {
                    loss = find();
                    looking = null;
                });
                looking = next;
                next.start();
            }
        }

        /** Returns why the link is lost; null when it is not. */
        private @Nullable String find() {
            final Duration half = Duration.ofMillis(settings.silenceMillis() / 2);
            if (!host.answers(half)) {
                return "no bytes received for " + settings.silenceMillis() + " ms, and its host does not answer";
            }
            return packets != null && packets.isHole(half)
                ? "short packets pass to and from its host, and packets of full size do not: no bytes received for " + settings.silenceMillis()
                    + " ms"
                : null;
        }

        void close() {
            final Thread current = looking;
            if (current != null) {
                current.interrupt();
            }
            // a thread that looks holds the lock
            thread(host::close).start();
        }

        /** Returns a platform thread; ranks may keep those busy that run virtual ones. */
        private static Thread thread(final Runnable code) {
            return Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("tutti-look").unstarted(code);
        }
    }

    /** Returns why the link is lost, given the result of {@link LinkTimeouts#silentHalves}; null while it is not. */
    @Nullable
    String loss(final int halves) throws IOException {
        if (halves == 0) {
            close();
        } else if (halves > 0) {
            final Looks started = looks == null ? new Looks((InetSocketAddress) channel.getRemoteAddress()) : looks;
            looks = started;
            started.look();
            if (halves == 2) {
                // Cause: the process at the other end of a link does not run, and its host answers. Remedy: look what it does; [a node that
                // hangs](cluster.md#when-a-node-fails).
                LOG.warn("no bytes received for {} ms, the peer is busy or stopped, and is waited for: peer={}", settings.silenceMillis(), peer);
            }
        }
        final Looks current = looks;
        return current == null ? null : current.loss;
    }

    /** Ends the looks. */
    void close() {
        final Looks current = looks;
        if (current != null) {
            current.close();
            looks = null;
        }
    }
}
