package tutti.runtime.schedule;

import java.util.concurrent.atomic.AtomicInteger;

/** How much is under way on a communicator, so that what comes after its end waits for that. Safe for any thread, without a lock. */
public final class PendingOperations {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger count = new AtomicInteger();
    private volatile Runnable idle;

    /** Nothing is under way. */
    public PendingOperations() { }

    /** Something is under way from now on. */
    public void hold() {
        count.getAndIncrement();
    }

    /** The way back from {@link #hold}. */
    public void letGo() {
        if (count.decrementAndGet() == CLOSED) {
            idle.run();
        }
    }

    /** Calls back when nothing is under way any more, at once or on the thread that lets go last. Called once. */
    public void close(final Runnable whenIdle) {
        idle = whenIdle;
        if (count.addAndGet(CLOSED) == CLOSED) {
            whenIdle.run();
        }
    }
}
