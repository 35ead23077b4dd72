package tutti.runtime.transport.mina;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits the connections of a listener that have not sent their hello.
 *
 * <p>At the limit, a new connection waits until another one completes its handshake, or until the oldest has had its minimum time and is dropped. So
 * a burst of honest peers queues up in the backlog, and peers that only hold their connection open do not lock out others. {@link #enter} is called
 * by the acceptor's thread, {@link #leave} by the I/O thread.
 *
 * <p><b>Threads.</b> The lock of this object guards all fields. Only the acceptor's thread waits on it, never the I/O thread.
 */
final class HandshakeLimit {
    private final int max;
    private final long minNanos;
    private final Map<MinaLink, Long> unfinished = new LinkedHashMap<>();
    private boolean closed;

    HandshakeLimit(final int max, final long minMillis) {
        this.max = max;
        this.minNanos = TimeUnit.MILLISECONDS.toNanos(minMillis);
    }

    /** Admits a link, waiting if necessary; returns false if the limit was closed. */
    synchronized boolean enter(final MinaLink link) {
        boolean interrupted = false;
        while (unfinished.size() >= max && !closed) {
            Iterator<Map.Entry<MinaLink, Long>> entries = unfinished.entrySet().iterator();
            Map.Entry<MinaLink, Long> oldest = entries.next();
            long left = oldest.getValue() + minNanos - System.nanoTime();
            if (left <= 0) {
                entries.remove();
                oldest.getKey().drop();
            } else {
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!closed) {
            unfinished.put(link, System.nanoTime());
        }
        return !closed;
    }

    /** Removes a link whose handshake is complete or whose connection is closed; returns false if it was dropped or removed before. */
    synchronized boolean leave(final MinaLink link) {
        notifyAll();
        return unfinished.remove(link) != null;
    }

    /** Returns the number of connections that have not sent their hello. */
    synchronized int unfinished() {
        return unfinished.size();
    }

    /** Admits no more links. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
