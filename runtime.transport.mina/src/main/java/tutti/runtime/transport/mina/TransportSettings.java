package tutti.runtime.transport.mina;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timeouts and limits of a transport; times are in milliseconds.
 *
 * @param heartbeatMillis time without a send after which an empty frame is sent
 * @param silenceMillis   time without received bytes after which a link is closed
 * @param handshakeMillis time within which an accepted connection must send its hello
 * @param maxHandshakes   largest number of connections of a listener without a hello
 * @param flushMillis     time that a closed link has to send its queued bytes
 */
record TransportSettings(long heartbeatMillis, long silenceMillis, long handshakeMillis, int maxHandshakes, long flushMillis) {
    /** Framework property: largest number of connections of a listener without a hello. */
    static final String HANDSHAKES = "tutti.tcp.handshakes";
    /** Framework property: time within which an accepted connection must send its hello, in milliseconds. */
    static final String HELLO = "tutti.tcp.hello";
    static final TransportSettings DEFAULT = new TransportSettings(2_000, 10_000, 5_000, 512, 1_000);
    private static final Logger LOG = LoggerFactory.getLogger(TransportSettings.class);
    private static final int MAX_HANDSHAKES = 65_536;
    private static final int MAX_HELLO_MILLIS = 600_000;

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
        LOG.error("bad value: {}={}: expected a number from 1 to {}; used instead: {}", property, text, max, byDefault);
        return byDefault;
    }

    /** Returns the interval at which the I/O thread checks the timeouts of its links. */
    long tickMillis() {
        long shortest = Math.min(Math.min(heartbeatMillis, handshakeMillis), Math.min(flushMillis, silenceMillis));
        return Math.clamp(shortest / 4, 5, 250);
    }
}
