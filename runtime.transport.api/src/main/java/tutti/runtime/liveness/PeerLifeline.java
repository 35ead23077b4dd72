package tutti.runtime.liveness;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a process is there that listens on an address, or at least its host, however busy or stopped the process is.
 *
 * <p>It opens a TCP connection, which says nothing and need not be accepted, and keeps it. The kernel of the other host opens it, answers its
 * keep-alive packets, and ends it with the process; no thread of the process takes part. So a stopped process has one connection more, however often
 * others look. Safe for any thread.
 */
public final class PeerLifeline implements AutoCloseable {
    /** Time in which a host answers a connection, lost packets included, however busy its processes are. */
    public static final Duration HOST_LIMIT = Duration.ofSeconds(5);
    /** Seconds, seconds and number of packets: a host that is cut off is noticed after some seconds. */
    private static final Map<String, Integer> KEEP_ALIVE = Map.of("SO_KEEPALIVE", 1, "TCP_KEEPIDLE", 1, "TCP_KEEPINTERVAL", 1, "TCP_KEEPCOUNT", 3);

    private final InetSocketAddress peer;
    private @Nullable SocketChannel open;

    /** What is there. */
    public enum Life {
        /** A process listens on the address. */
        PROCESS,
        /** The host answers, and no process listens on the address. */
        HOST,
        /** Nothing answers. */
        NOTHING
    }

    /** Creates a lifeline without a connection. */
    public PeerLifeline(final InetSocketAddress peer) {
        this.peer = peer;
    }

    /** Returns what is there. Blocks until the host answers, up to a limit. */
    public synchronized Life look(final Duration limit) {
        if (isOpen()) {
            return Life.PROCESS;
        }
        close();
        final SocketChannel made;
        try {
            made = SocketChannel.open();
            open = made;
            keepAlive(made);
        } catch (final IOException e) {
            // this process has no descriptor left, which says nothing about the other one
            return Life.PROCESS;
        }
        try {
            made.socket().connect(peer, (int) limit.toMillis());
            made.configureBlocking(false);
            return Life.PROCESS;
        } catch (final IOException e) {
            close();
            return e instanceof ConnectException ? Life.HOST : Life.NOTHING;
        }
    }

    @SuppressWarnings("unchecked")
    private static void keepAlive(final SocketChannel channel) throws IOException {
        for (final SocketOption<?> option : channel.supportedOptions()) {
            final Integer value = KEEP_ALIVE.get(option.name());
            if (value != null && option.type() == Boolean.class) {
                channel.setOption((SocketOption<Boolean>) option, true);
            } else if (value != null) {
                channel.setOption((SocketOption<Integer>) option, value);
            }
        }
    }

    private boolean isOpen() {
        final SocketChannel channel = open;
        if (channel == null) {
            return false;
        }
        try {
            final ByteBuffer ignored = ByteBuffer.allocate(64);
            int count = channel.read(ignored);
            while (count > 0) {
                count = channel.read(ignored.clear());
            }
            return count == 0;
        } catch (final IOException e) {
            return false;
        }
    }

    /** Ends the connection, when the process is heard again. Idempotent. */
    @Override
    public synchronized void close() {
        final SocketChannel channel = open;
        open = null;
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (final IOException e) {
            // the system has released it
        }
    }
}
