package tutti.runtime.transport.mina;

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
    static final TransportSettings DEFAULT = new TransportSettings(2_000, 10_000, 5_000, 64, 1_000);

    TransportSettings {
        if (heartbeatMillis < 1 || silenceMillis <= heartbeatMillis || handshakeMillis < 1 || maxHandshakes < 1 || flushMillis < 1) {
            throw new IllegalArgumentException("settings out of range: heartbeatMillis=" + heartbeatMillis + ", silenceMillis=" + silenceMillis
                + ", handshakeMillis=" + handshakeMillis + ", maxHandshakes=" + maxHandshakes + ", flushMillis=" + flushMillis);
        }
    }

    /** Returns the interval at which the I/O thread checks the timeouts of its links. */
    long tickMillis() {
        long shortest = Math.min(Math.min(heartbeatMillis, handshakeMillis), Math.min(flushMillis, silenceMillis));
        return Math.clamp(shortest / 4, 5, 250);
    }
}
