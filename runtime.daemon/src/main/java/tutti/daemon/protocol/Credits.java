package tutti.daemon.protocol;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Bytes that a peer is ready to take. Threads wait for them in the order in which they came; safe for any thread. */
public final class Credits {
    /** Held by the one thread that waits; the others queue for it, so that small requests do not overtake a large one. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private final ReentrantLock lock = new ReentrantLock();
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
        turn.lockInterruptibly();
        try {
            return take(bytes);
        } finally {
            turn.unlock();
        }
    }

    private boolean take(final int bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed && left < bytes) {
                granted.await();
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
            granted.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all waiters go, now and later. */
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
