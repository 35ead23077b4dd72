package tutti.runtime.transport.mina;

import java.util.concurrent.TimeUnit;

/**
 * Timeouts of one link. Used by the I/O thread only.
 *
 * <p>Silence, idle time and time without a hello are counted in ticks and not read from a clock. So sends and reads need no clock, and a process that
 * was stopped for a while does not mistake its own pause for silence of its peers.
 */
final class LinkTimeouts {
    private final TransportSettings settings;
    private long unopenedMillis;
    private long closingDeadline;
    private long received = -1;
    private long silentMillis;
    private long sent = -1;
    private long idleMillis;

    LinkTimeouts(final TransportSettings settings) {
        this.settings = settings;
    }

    /** Returns whether the hello takes too long. Called once per tick. */
    boolean isHelloLate() {
        unopenedMillis += settings.tickMillis();
        return unopenedMillis > settings.handshakeMillis();
    }

    /**
     * Returns for how long no bytes arrived, in halves of the time after which a host that does not answer either is lost; at the end of each half.
     * Returns 0 when bytes have arrived, -1 otherwise. Called once per tick, with the number of bytes received so far.
     */
    int silentHalves(final long bytes) {
        long before = silentMillis;
        silentMillis = bytes == received ? silentMillis + settings.tickMillis() : 0;
        received = bytes;
        long half = settings.silenceMillis() / 2;
        return silentMillis == 0 ? 0 : silentMillis / half > before / half ? (int) (silentMillis / half) : -1;
    }

    /** Returns whether no bytes have arrived for half of the time of silence. */
    boolean isSilent() {
        return silentMillis >= settings.silenceMillis() / 2;
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
}
