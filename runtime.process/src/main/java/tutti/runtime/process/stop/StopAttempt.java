package tutti.runtime.process.stop;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One attempt to stop a thread, made on the calling thread.
 *
 * <p>The target is suspended and its stack is examined. Only where the {@link SafeStopPoint} allows it, the error is sent to the target before
 * it is resumed.
 *
 * <p>The suspended thread may hold locks, which this code must not need. Therefore everything that is called here was called once before, with
 * a thread that holds none. If a lock is needed nevertheless, a watchdog resumes the thread after a while. An example is the stack of a
 * virtual thread that is about to be unmounted.
 *
 * <p><b>Threads.</b> The lock of this object guards {@code suspended}, so that this thread and the watchdog resume the target once.
 */
final class StopAttempt {
    private static final long WATCH_MILLIS = 500;

    private final Jvmti jvmti;
    private final Thread target;
    private final SafeStopPoint where;
    private final long thread;
    private final long error;
    private boolean suspended;

    /**
     * Creates an attempt. The caller releases the references.
     *
     * @param target the thread to stop
     * @param where  the points at which it may be stopped
     * @param thread JNI reference to the target
     * @param error  JNI reference to the error that the target will throw
     */
    StopAttempt(final Jvmti jvmti, final Thread target, final SafeStopPoint where, final long thread, final long error) {
        this.jvmti = jvmti;
        this.target = target;
        this.where = where;
        this.thread = thread;
        this.error = error;
    }

    /** Makes the attempt. */
    void make(final ScheduledExecutorService watchdog) throws Throwable {
        // scheduled before the thread is suspended, because scheduling takes a lock
        final Future<?> watch = watchdog.scheduleWithFixedDelay(this::giveUp, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        try {
            if (suspend()) {
                stop(where.allows(target.getStackTrace(), target.getState()));
            }
        } finally {
            resume();
            watch.cancel(false);
        }
    }

    private synchronized boolean suspend() throws Throwable {
        suspended = jvmti.suspend(thread);
        return suspended;
    }

    private synchronized void stop(final boolean allowed) throws Throwable {
        if (allowed && suspended) {
            jvmti.stop(thread, error);
        }
    }

    private synchronized void resume() throws Throwable {
        if (suspended) {
            suspended = false;
            jvmti.resume(thread);
        }
    }

    private void giveUp() {
        try {
            resume();
        } catch (final Throwable e) {
            throw new IllegalStateException("thread could not be resumed: thread=" + target.getName(), e);
        }
    }
}
