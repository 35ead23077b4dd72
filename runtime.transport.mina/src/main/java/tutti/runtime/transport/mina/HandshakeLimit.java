package tutti.runtime.transport.mina;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.RefusalPeriod;

/**
 * Limits the connections of a listener that have not sent their hello.
 *
 * <p>At the limit, a new connection waits until another one completes its handshake, or until the oldest has had its minimum time and is dropped.
 * One whose hello has arrived and waits for a busy I/O thread is not dropped. So a burst of honest peers queues up in the backlog, and peers that
 * only hold their connection open do not lock out others. {@link #enter} is called by the acceptor's thread, {@link #leave} by the I/O thread. A
 * period has one line in the log about dropped connections.
 *
 * <p><b>Threads.</b> The lock of this object guards all fields. Only the acceptor's thread waits on it, never the I/O thread.
 */
final class HandshakeLimit {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeLimit.class);
    /** How often the acceptor's thread looks for a link that can be dropped. */
    private static final long CHECK_NANOS = 10_000_000;

    private final int max;
    private final long minNanos;
    private final Map<MinaLink, Long> unfinished = new LinkedHashMap<>();
    private final RefusalPeriod dropped = RefusalPeriod.ofOneReason();
    private boolean closed;

    HandshakeLimit(final int max, final long minMillis) {
        this.max = max;
        this.minNanos = TimeUnit.MILLISECONDS.toNanos(minMillis);
    }

    /** Admits a link, waiting if necessary; returns false if the limit was closed. */
    synchronized boolean enter(final MinaLink link) {
        boolean interrupted = false;
        while (unfinished.size() >= max && !closed) {
            MinaLink late = removeLate();
            if (late != null) {
                log(late);
                late.drop();
            } else {
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, CHECK_NANOS);
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

    /**
     * Removes a link that has had its minimum time, the first that was accepted; returns null if there is none. One of which something waits to be
     * read gets that time again, for the I/O thread to complete its handshake.
     */
    private @Nullable MinaLink removeLate() {
        long now = System.nanoTime();
        Iterator<Map.Entry<MinaLink, Long>> entries = unfinished.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<MinaLink, Long> entry = entries.next();
            if (entry.getValue() + minNanos - now > 0) {
                continue;
            }
            if (!entry.getKey().hasUnread()) {
                entries.remove();
                return entry.getKey();
            }
            entry.setValue(now);
        }
        return null;
    }

    private void log(final MinaLink last) {
        long connections = dropped.count();
        if (connections > 0) {
            // Cause: something connects and says nothing: a port scan, or a load balancer's check, in floods. Remedy: keep it away, or ignore it.
            LOG.warn("connections dropped that sent no hello while others waited: connections={}, last={}, handshakes={}, limit={}", connections,
                last.peer(), max, TransportSettings.HANDSHAKES);
        }
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
