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
 * and sends heartbeats when it runs again. The kernel of its host ends the connection with the peer.
 *
 * <p>At the end of each half of the time of silence, a thread looks whether the host answers, for as long as the other half. Used by the I/O thread.
 */
final class LinkSilence {
    private static final Logger LOG = LoggerFactory.getLogger(LinkSilence.class);

    private final SocketChannel channel;
    private final String peer;
    private final TransportSettings settings;
    /** Null while bytes arrive. */
    private @Nullable Looks looks;

    LinkSilence(final SocketChannel channel, final String peer, final TransportSettings settings) {
        this.channel = channel;
        this.peer = peer;
        this.settings = settings;
    }

    /** Looks at a host, on threads of their own; closed by the I/O thread. */
    private final class Looks {
        private final TransportSettings.HostLook host;
        private volatile boolean isLooking;
        private volatile boolean isLost;

        Looks(final InetSocketAddress address) {
            host = settings.hosts().apply(address);
        }

        void look() {
            if (!isLooking) {
                isLooking = true;
                start(() -> {
                    isLost = !host.answers(Duration.ofMillis(settings.silenceMillis() / 2));
                    isLooking = false;
                });
            }
        }

        void close() {
            // a thread that looks holds the lock
            start(host::close);
        }

        /** Starts a thread; ranks may keep those busy that run virtual ones. */
        private static void start(final Runnable code) {
            Thread.ofPlatform().daemon().inheritInheritableThreadLocals(false).name("tutti-look").start(code);
        }
    }

    /** Returns whether the link is lost, given the result of {@link LinkTimeouts#silentHalves}. */
    boolean isLost(final int halves) throws IOException {
        if (halves == 0) {
            close();
        } else if (halves > 0) {
            final Looks started = looks == null ? new Looks((InetSocketAddress) channel.getRemoteAddress()) : looks;
            looks = started;
            started.look();
            if (halves == 2) {
                // Cause: the process at the other end of a link does not run, and its host answers. Remedy: look what it does; [a node that
                // hangs](cluster.md#when-a-node-fails).
                LOG.warn("no bytes received for {} ms, the peer is busy or stopped, and is waited for: peer={}", millis(), peer);
            }
        }
        final Looks current = looks;
        return current != null && current.isLost;
    }

    long millis() {
        return settings.silenceMillis();
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
