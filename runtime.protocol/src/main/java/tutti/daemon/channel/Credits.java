package tutti.daemon.channel;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Credit in bytes that a peer has granted. Threads wait for credit in first-in, first-out order. Safe for any thread. */
public final class Credits {
    /** Held by the one thread that waits for credit. The others queue for the lock, so that small requests do not overtake a large one. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition granted = lock.newCondition();
    private final int limit;
    private long available;
    private boolean closed;

    /** Creates credit of {@code limit} bytes, all available. */
    public Credits(final int limit) {
        this.limit = limit;
        this.available = limit;
    }

    /** Waits for credit, at most the limit, and takes it; returns false when the credit was closed. */
    public boolean acquire(final int bytes) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            return take(bytes);
        } finally {
            turn.unlock();
        }
    }

    /**
     * Waits for credit as {@link #acquire(int)} does, for a limited time. For one thread, whose calls nobody else waits for.
     *
     * @throws TimeoutException when the peer does not grant it in time; none is taken then
     */
    public boolean acquire(final int bytes, final Duration limit) throws InterruptedException, TimeoutException {
        long left = limit.toNanos();
        lock.lockInterruptibly();
        try {
            while (!closed && available < bytes) {
                if (left <= 0) {
                    throw new TimeoutException("no credit: bytes=" + bytes + ", limit=" + limit.toSeconds() + " s");
                }
                left = granted.awaitNanos(left);
            }
            available -= bytes;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean take(final int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && available < bytes) {
                granted.await();
            }
            available -= bytes;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Adds credit that the peer returned, up to the limit. */
    public void grant(final int bytes) {
        lock.lock();
        try {
            available = Math.min(limit, available + bytes);
            granted.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all waiting threads; later calls do not wait. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            granted.signal();
        } finally {
            lock.unlock();
        }
    }
}
