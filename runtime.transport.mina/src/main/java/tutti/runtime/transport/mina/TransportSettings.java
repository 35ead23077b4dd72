package tutti.runtime.transport.mina;

/**
 * The times and bounds of a transport, in milliseconds where they are times.
 *
 * @param heartbeatMillis an empty frame goes out when nothing was sent for so long
 * @param silenceMillis   a link that heard nothing for so long is closed
 * @param handshakeMillis how long an accepted connection may take to say its hello
 * @param maxHandshakes   how many accepted connections of a listener may be without a hello at a time
 * @param flushMillis     how long a closed link may take to send what it took
 */
record TransportSettings(long heartbeatMillis, long silenceMillis, long handshakeMillis, int maxHandshakes, long flushMillis) {
    static final TransportSettings DEFAULT = new TransportSettings(2_000, 10_000, 5_000, 64, 1_000);

    TransportSettings {
        if (heartbeatMillis < 1 || silenceMillis <= heartbeatMillis || handshakeMillis < 1 || maxHandshakes < 1 || flushMillis < 1) {
            throw new IllegalArgumentException("settings out of range: heartbeatMillis=" + heartbeatMillis + ", silenceMillis=" + silenceMillis
                    + ", handshakeMillis=" + handshakeMillis + ", maxHandshakes=" + maxHandshakes + ", flushMillis=" + flushMillis);
        }
    }

    /** How often the I/O thread looks at the times of its links. */
    long tickMillis() {
        long shortest = Math.min(Math.min(heartbeatMillis, handshakeMillis), Math.min(flushMillis, silenceMillis));
        return Math.clamp(shortest / 4, 5, 250);
    }
}
