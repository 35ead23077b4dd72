package tutti.runtime.process;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One attempt to stop a thread, made on the thread that asks for it.
 *
 * <p>Overview: the thread is suspended and its stack looked at, and only where the {@link SafeStopPoint} allows it the error is put on its way
 * before the thread goes on. Whatever the suspended thread may hold must not be needed meanwhile, so all that is called here was called
 * once before with a thread that holds nothing. Should it be needed all the same (the stack of a virtual thread that is about to be
 * unmounted is one such case), a watchdog resumes the thread after a while.
 */
final class StopAttempt {
    private static final long WATCH_MILLIS = 500;

    private final Jvmti jvmti;
    private final Thread target;
    private final SafeStopPoint where;
    private final long thread;
    private final long error;
    private boolean suspended;

    /** {@code thread} and {@code error} are references to the target and to what it will throw, and stay the caller's. */
    StopAttempt(final Jvmti jvmti, final Thread target, final SafeStopPoint where, final long thread, final long error) {
        this.jvmti = jvmti;
        this.target = target;
        this.where = where;
        this.thread = thread;
        this.error = error;
    }

    /** Makes the attempt. */
    void make(final ScheduledExecutorService watchdog) throws Throwable {
        // scheduled before anything is suspended, as scheduling takes a lock
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
