package tutti.runtime.process;

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
 * Stops threads that do not listen: has them throw an error wherever they are, by way of JVMTI, since {@code Thread.stop} is gone.
 *
 * <p>Needs a HotSpot JVM with native access enabled; elsewhere {@link #isAvailable} is false and nothing is stopped. Safe for any thread.
 * The first use takes some 100 ms.
 */
final class ThreadStopper {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadStopper.class);

    private ThreadStopper() { }

    /** Whether threads can be stopped in this JVM. */
    static boolean isAvailable() {
        return Holder.INSTANCE != null;
    }

    /**
     * Tries once to stop each of the threads. A thread that is elsewhere just now, or cannot be stopped, stays as it is.
     *
     * @param targets the threads; virtual ones are stopped only while they are mounted
     * @param error   that they will throw
     * @param where   what the stack of a thread must look like
     */
    static void stop(final List<Thread> targets, final Error error, final SafeStopPoint where) {
        if (isAvailable()) {
            for (final Thread target : targets) {
                try {
                    if (isWorthwhile(target, where)) {
                        Holder.INSTANCE.attempt(target, error, where);
                    }
                } catch (final Throwable e) {
                    LOG.error("attempt to stop a thread failed: thread={}", target.getName(), e);
                }
            }
        }
    }

    /** A virtual thread cannot be stopped when it is not mounted, and is hard to look at when it is suspended just before. */
    private static boolean isWorthwhile(final Thread target, final SafeStopPoint where) {
        return !target.isVirtual() || target.getState() == State.RUNNABLE && where.allows(target.getStackTrace(), State.RUNNABLE);
    }

    /** All virtual threads of the JVM, as far as they can be found. */
    static Stream<Thread> virtualThreads() {
        return isAvailable() ? Holder.INSTANCE.internals().virtualThreads() : Stream.empty();
    }

    /** The executor that a thread works for and that would replace the thread, or null. */
    static ExecutorService executorOf(final Thread thread) {
        return isAvailable() ? Holder.INSTANCE.internals().executorOf(thread) : null;
    }

    /** The ways into the JVM; made when first needed. */
    private record Holder(Jvmti jvmti, JniReferences references, JdkInternals internals, ScheduledExecutorService watchdog) {
        static final Holder INSTANCE = open();

        private static Holder open() {
            try {
                final JavaVm vm = new JavaVm();
                final Jvmti jvmti = new Jvmti(vm);
                final JniReferences references = JniReferences.open(vm);
                final Holder holder = new Holder(jvmti, references, new JdkInternals(references.trustedLookup()), newWatchdog());
                holder.warmUp();
                return holder;
            } catch (final Throwable e) {
                LOG.warn("threads that do not end by themselves cannot be stopped in this JVM", e);
                return null;
            }
        }

        private static ScheduledExecutorService newWatchdog() {
            final ThreadFactory daemons = task -> {
                final Thread thread = Thread.ofPlatform().group(RankGroup.root()).daemon().name("tutti-stop-watch")
                    .inheritInheritableThreadLocals(false).unstarted(task);
                thread.setContextClassLoader(null);
                return thread;
            };
            final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons);
            executor.setRemoveOnCancelPolicy(true);
            return executor;
        }

        void attempt(final Thread target, final Error error, final SafeStopPoint where) throws Throwable {
            final long thread = references.refer(target);
            final long thrown = references.refer(error);
            try {
                new StopAttempt(jvmti, target, where, thread, thrown).make(watchdog);
            } finally {
                references.release(thrown);
                references.release(thread);
            }
        }

        /** Loads and links all that is used while a thread is suspended, at the example of a thread that is left alone. */
        private void warmUp() throws Throwable {
            final CountDownLatch done = new CountDownLatch(1);
            final Thread example = Thread.ofPlatform().group(RankGroup.root()).daemon().unstarted(() -> await(done));
            example.setContextClassLoader(null);
            example.start();
            SafeStopPoint.IN_JDK.allows(example.getStackTrace(), example.getState());
            attempt(example, RankExit.INSTANCE, SafeStopPoint.NOWHERE);
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
