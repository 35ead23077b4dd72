package tutti.runtime.process.stop;

import java.lang.Thread.State;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops threads that do not react to interrupts: makes them throw an error by JVMTI, since {@code Thread.stop} no longer works.
 *
 * <p>Needs a HotSpot JVM with native access enabled; elsewhere {@link #isAvailable} returns false and no thread is stopped. The first use takes
 * about 100 ms. Safe for any thread.
 *
 * <p><b>Threads.</b> The class that holds the access to the JVM is initialised once, by the first thread, while others wait. Attempts run on the
 * calling threads and share the watchdog alone.
 */
public final class ThreadStopper {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadStopper.class);

    /** The waits between tries are multiples of the step, modulo a time in which a thread goes once round a short loop. */
    private static final long WAIT_STEP_NANOS = 7_000;
    private static final long MAX_WAIT_NANOS = 100_000;

    private ThreadStopper() {}

    /** Returns whether threads can be stopped in this JVM. */
    public static boolean isAvailable() {
        return Holder.INSTANCE != null;
    }

    /**
     * Tries to stop each of the threads. A thread that is at no allowed point, or that cannot be stopped, is not changed.
     *
     * <p>A thread that catches every error in a loop ends only when the error is thrown outside its try block. It is there for a moment after each
     * interrupt. Therefore such a thread is interrupted and tried several times, after waits of different length.
     *
     * @param targets the threads; virtual threads are stopped only while they are mounted
     * @param error   the error that they will throw
     * @param where   the points at which a thread may be stopped
     * @param tries   how many times to try each thread
     */
    public static void stop(final List<Thread> targets, final Error error, final SafeStopPoint where, final int tries) {
        if (isAvailable()) {
            for (final Thread target : targets) {
                try {
                    for (int i = 0; i < tries && target.isAlive() && isWorthwhile(target, where); i++) {
                        if (i > 0) {
                            target.interrupt();
                            spin(i * WAIT_STEP_NANOS % MAX_WAIT_NANOS);
                        }
                        Holder.INSTANCE.attempt(target, error, where);
                    }
                } catch (final Throwable e) {
                    LOG.error("attempt to stop a thread failed: thread={}", target.getName(), e);
                }
            }
        }
    }

    private static void spin(final long nanos) {
        final long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }

    /**
     * Returns whether an attempt can succeed. A virtual thread cannot be stopped while it is not mounted, and its stack is hard to read when it
     * is suspended just before it is unmounted.
     */
    private static boolean isWorthwhile(final Thread target, final SafeStopPoint where) {
        return !target.isVirtual() || target.getState() == State.RUNNABLE && where.allows(target.getStackTrace(), State.RUNNABLE);
    }

    /** Returns all virtual threads of the JVM that can be found. */
    public static Stream<Thread> virtualThreads() {
        return isAvailable() ? Holder.INSTANCE.internals().virtualThreads() : Stream.empty();
    }

    /** Returns the executor that a thread works for and that would replace the thread, or null. */
    public static ExecutorService executorOf(final Thread thread) {
        return isAvailable() ? Holder.INSTANCE.internals().executorOf(thread) : null;
    }

    /** Holder of the access to the JVM, created at the first use. */
    private record Holder(JvmAccess access, JdkInternals internals, ScheduledExecutorService watchdog) {
        static final Holder INSTANCE = open();

        private static Holder open() {
            final JvmAccess access = JvmAccess.find();
            if (access == null) {
                return null;
            }
            try {
                final Holder holder = new Holder(access, new JdkInternals(access.lookup()), newWatchdog());
                holder.warmUp();
                return holder;
            } catch (final Throwable e) {
                LOG.warn("threads that do not end by themselves cannot be stopped in this JVM", e);
                return null;
            }
        }

        private static ScheduledExecutorService newWatchdog() {
            final ThreadFactory daemons = task -> {
                final Thread thread = Thread.ofPlatform().group(ThreadGroups.root()).daemon().name("tutti-stop-watch")
                    .inheritInheritableThreadLocals(false).unstarted(task);
                thread.setContextClassLoader(null);
                return thread;
            };
            final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons);
            executor.setRemoveOnCancelPolicy(true);
            return executor;
        }

        void attempt(final Thread target, final Error error, final SafeStopPoint where) throws Throwable {
            final JniReferences references = access.references();
            final long thread = references.newReference(target);
            final long thrown = references.newReference(error);
            try {
                new StopAttempt(access.jvmti(), target, where, thread, thrown).make(watchdog);
            } finally {
                references.release(thrown);
                references.release(thread);
            }
        }

        /** Loads and links all code that runs while a thread is suspended, by an attempt on a sample thread that is not stopped. */
        private void warmUp() throws Throwable {
            final CountDownLatch done = new CountDownLatch(1);
            final Thread example = Thread.ofPlatform().group(ThreadGroups.root()).daemon().unstarted(() -> await(done));
            example.setContextClassLoader(null);
            example.start();
            SafeStopPoint.IN_JDK.allows(example.getStackTrace(), example.getState());
            attempt(example, new Error("example"), SafeStopPoint.NOWHERE);
            done.countDown();
        }

        private static void await(final CountDownLatch done) {
            try {
                done.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
