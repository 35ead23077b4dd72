package tutti.runtime.transport.mina;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.liveness.PeerLifeline;

/**
 * Timeouts and limits of a transport; times are in milliseconds.
 *
 * @param heartbeatMillis time without a send after which an empty frame is sent
 * @param silenceMillis   time without received bytes after which a link is closed, when the host of the peer does not answer either
 * @param handshakeMillis time within which an accepted connection must send its hello
 * @param maxHandshakes   largest number of connections of a listener without a hello
 * @param flushMillis     time that a closed link has to send its queued bytes
 * @param hosts           creates what looks whether the host of a peer answers
 */
record TransportSettings(long heartbeatMillis, long silenceMillis, long handshakeMillis, int maxHandshakes, long flushMillis,
    Function<InetSocketAddress, HostLook> hosts) {
    /** Framework property: largest number of connections of a listener without a hello. */
    static final String HANDSHAKES = "tutti.tcp.handshakes";
    /** Framework property: time within which an accepted connection must send its hello, in milliseconds. */
    static final String HELLO = "tutti.tcp.hello";
    private static final Function<InetSocketAddress, HostLook> HOSTS = address -> new HostLook() {
        private final PeerLifeline lifeline = new PeerLifeline(address);

        @Override
        public boolean answers(final Duration limit) {
            return lifeline.look(limit) != PeerLifeline.Life.NOTHING;
        }

        @Override
        public void close() {
            lifeline.close();
        }
    };
    static final TransportSettings DEFAULT = new TransportSettings(2_000, 10_000, 120_000, 512, 1_000);
    private static final Logger LOG = LoggerFactory.getLogger(TransportSettings.class);
    private static final int MAX_HANDSHAKES = 65_536;
    private static final int MAX_HELLO_MILLIS = 600_000;

    /** Looks whether a host answers. */
    interface HostLook extends AutoCloseable {
        /** Returns whether the host answers within a limit. Blocks. */
        boolean answers(Duration limit);

        @Override
        void close();
    }

    TransportSettings(final long heartbeatMillis, final long silenceMillis, final long handshakeMillis, final int maxHandshakes,
        final long flushMillis) {
        this(heartbeatMillis, silenceMillis, handshakeMillis, maxHandshakes, flushMillis, HOSTS);
    }

    TransportSettings {
        if (heartbeatMillis < 1 || silenceMillis <= heartbeatMillis || handshakeMillis < 1 || maxHandshakes < 1 || flushMillis < 1) {
            throw new IllegalArgumentException("settings out of range: heartbeatMillis=" + heartbeatMillis + ", silenceMillis=" + silenceMillis
                + ", handshakeMillis=" + handshakeMillis + ", maxHandshakes=" + maxHandshakes + ", flushMillis=" + flushMillis);
        }
    }

    /** Returns the default settings with the limits that properties set; one that is not valid is logged and has its default. */
    static TransportSettings read(final Function<String, @Nullable String> properties) {
        return new TransportSettings(DEFAULT.heartbeatMillis, DEFAULT.silenceMillis,
            number(properties, HELLO, MAX_HELLO_MILLIS, (int) DEFAULT.handshakeMillis),
            number(properties, HANDSHAKES, MAX_HANDSHAKES, DEFAULT.maxHandshakes), DEFAULT.flushMillis);
    }

    private static int number(final Function<String, @Nullable String> properties, final String property, final int max, final int byDefault) {
        String text = properties.apply(property);
        if (text == null || text.isBlank()) {
            return byDefault;
        }
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            LOG.debug("not a number: {}={}", property, text, e);
        }
        // Cause: a framework property of the transport is no number. Remedy: correct it.
        LOG.error("bad value: {}={}: expected a number from 1 to {}; used instead: {}", property, text, max, byDefault);
        return byDefault;
    }

    /** Returns the interval at which the I/O thread checks the timeouts of its links. */
    long tickMillis() {
        long shortest = Math.min(Math.min(heartbeatMillis, handshakeMillis), Math.min(flushMillis, silenceMillis));
        return Math.clamp(shortest / 4, 5, 250);
    }
}
