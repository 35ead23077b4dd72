package tutti.runtime.transport.mina;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the connections of a listener that have not said their hello.
 *
 * <p>A newcomer that finds the gate full waits until one of them is through, or until the oldest had its chance and is dropped: a burst of
 * honest peers queues up in the backlog, and peers that only hold their connection open keep nobody out. {@link #enter} is called by the
 * acceptor's thread, {@link #leave} by the I/O thread.
 */
final class HandshakeLimit {
    private final int max;
    private final long chanceNanos;
    private final Map<MinaLink, Long> unfinished = new LinkedHashMap<>();
    private boolean closed;

    HandshakeLimit(final int max, final long chanceMillis) {
        this.max = max;
        this.chanceNanos = TimeUnit.MILLISECONDS.toNanos(chanceMillis);
    }

    /** Lets a link in, sooner or later; false when the gate was closed. */
    synchronized boolean enter(final MinaLink link) {
        boolean interrupted = false;
        while (unfinished.size() >= max && !closed) {
            Iterator<Map.Entry<MinaLink, Long>> entries = unfinished.entrySet().iterator();
            Map.Entry<MinaLink, Long> oldest = entries.next();
            long left = oldest.getValue() + chanceNanos - System.nanoTime();
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

    /** The link is through, or gone; false when it was dropped, or had left before. */
    synchronized boolean leave(final MinaLink link) {
        notifyAll();
        return unfinished.remove(link) != null;
    }

    /** How many have not said their hello. */
    synchronized int unfinished() {
        return unfinished.size();
    }

    /** Lets nobody in any more. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
