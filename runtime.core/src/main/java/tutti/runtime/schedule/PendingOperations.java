package tutti.runtime.schedule;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the pending operations of a communicator, so that its release can wait for them. Safe for any thread, without a lock.
 *
 * <p><b>Threads.</b> The callback is written before the atomic step that closes the counter, so the thread that ends the last operation sees it, and
 * runs it.
 */
public final class PendingOperations {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger count = new AtomicInteger();
    private volatile Runnable onIdle = () -> {};

    /** Creates a counter at 0. */
    public PendingOperations() {}

    /** Counts one more pending operation. */
    public void hold() {
        count.getAndIncrement();
    }

    /** Ends an operation counted by {@link #hold}. */
    public void release() {
        if (count.decrementAndGet() == CLOSED) {
            onIdle.run();
        }
    }

    /** Returns whether no operation is pending. */
    public boolean isIdle() {
        final int pending = count.get();
        return pending == 0 || pending == CLOSED;
    }

    /** Closes the counter and calls back when no operation is pending: at once, or on the thread that releases the last one. Called once. */
    public void close(final Runnable whenIdle) {
        onIdle = whenIdle;
        if (count.addAndGet(CLOSED) == CLOSED) {
            whenIdle.run();
        }
    }
}
