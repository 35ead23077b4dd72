package tutti.runtime.transport.mina;

import java.util.concurrent.TimeUnit;

/**
 * The times of one link. Used by the I/O thread alone.
 *
 * <p>Silence and idleness are counted in ticks and not read from a clock: sends and reads then cost no look at the clock, and a process that
 * was stopped for a while does not take its own sleep for its peers' silence.
 */
final class LinkTimeouts {
    private final TransportSettings settings;
    private final long greetingDeadline;
    private long closingDeadline;
    private long received = -1;
    private long silentMillis;
    private long taken = -1;
    private long idleMillis;

    LinkTimeouts(final TransportSettings settings) {
        this.settings = settings;
        this.greetingDeadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.handshakeMillis());
    }

    boolean isGreetingLate(final long now) {
        return now - greetingDeadline >= 0;
    }

    /** Once per tick, with all the bytes that came so far: whether none came for too long. */
    boolean isSilent(final long bytes) {
        silentMillis = bytes == received ? silentMillis + settings.tickMillis() : 0;
        received = bytes;
        return silentMillis >= settings.silenceMillis();
    }

    /** Once per tick, with all the bytes that went so far: whether it is time for a heartbeat. */
    boolean isIdle(final long bytes) {
        idleMillis = bytes == taken ? idleMillis + settings.tickMillis() : 0;
        taken = bytes;
        if (idleMillis < settings.heartbeatMillis()) {
            return false;
        }
        idleMillis = 0;
        return true;
    }

    /** Whether a link took too long to close; the time runs from the first call. */
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
