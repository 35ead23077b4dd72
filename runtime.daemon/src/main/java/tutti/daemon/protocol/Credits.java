package tutti.daemon.protocol;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bytes that a peer is ready to take. Threads wait for them in the order in which they came; safe for any thread. */
public final class Credits {
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition granted = lock.newCondition();
    private final int window;
    private long left;
    private boolean closed;

    /** A window that is all open. */
    public Credits(final int window) {
        this.window = window;
        this.left = window;
    }

    /** Waits for that many bytes of at most the window and takes them; false when it was closed. */
    public boolean acquire(final int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && left < bytes) {
                granted.await(1, TimeUnit.MINUTES);
            }
            left -= bytes;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** The peer took that many bytes. */
    public void grant(final int bytes) {
        lock.lock();
        try {
            left = Math.min(window, left + bytes);
            granted.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all waiters go, now and later. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            granted.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
