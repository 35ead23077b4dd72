package tutti.runtime.transport.mina;

import java.util.concurrent.TimeUnit;

/**
 * Timeouts of one link. Used by the I/O thread only.
 *
 * <p>Silence and idle time are counted in ticks and not read from a clock. So sends and reads need no clock, and a process that
 * was stopped for a while does not mistake its own pause for silence of its peers.
 */
final class LinkTimeouts {
    private final TransportSettings settings;
    private final long helloDeadline;
    private long closingDeadline;
    private long received = -1;
    private long silentMillis;
    private long sent = -1;
    private long idleMillis;

    LinkTimeouts(final TransportSettings settings) {
        this.settings = settings;
        this.helloDeadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.handshakeMillis());
    }

    boolean isHelloLate(final long now) {
        return now - helloDeadline >= 0;
    }

    /** Returns whether no bytes arrived for too long. Called once per tick, with the number of bytes received so far. */
    boolean isSilent(final long bytes) {
        silentMillis = bytes == received ? silentMillis + settings.tickMillis() : 0;
        received = bytes;
        return silentMillis >= settings.silenceMillis();
    }

    /** Returns whether a heartbeat is due. Called once per tick, with the number of bytes sent so far. */
    boolean isIdle(final long bytes) {
        idleMillis = bytes == sent ? idleMillis + settings.tickMillis() : 0;
        sent = bytes;
        if (idleMillis < settings.heartbeatMillis()) {
            return false;
        }
        idleMillis = 0;
        return true;
    }

    /** Returns whether the link takes too long to close, measured from the first call. */
    boolean isClosingLate() {
        long now = System.nanoTime();
        if (closingDeadline == 0) {
            closingDeadline = now + TimeUnit.MILLISECONDS.toNanos(settings.flushMillis());
        }
        return now - closingDeadline >= 0;
    }

    long silenceMillis() {
        return settings.silenceMillis();
    }
}
