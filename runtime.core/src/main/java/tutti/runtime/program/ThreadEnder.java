package tutti.runtime.program;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Ends the threads of a rank: asks them, then stops them, harder with every round. For one thread. */
final class ThreadEnder {
    private static final long ASKED_MILLIS = 200;
    private static final long STOPPED_MILLIS = 50;
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2_000);
    /** After that time threads are stopped within the JDK as well. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

    /** A thread that goes in and out of the runtime is caught outside sooner or later. */
    private static final int TRIES = 5;

    private final RankProcess process;

    ThreadEnder(final RankProcess process) {
        this.process = process;
    }

    /** Returns the threads that live on in spite of all, none as a rule. */
    List<Thread> end(final String reason) throws InterruptedException {
        List<Thread> left = RankThreads.of(process);
        if (left.isEmpty()) {
            return left;
        }
        final long start = System.nanoTime();
        interrupt(left);
        process.hooks().wake(reason);
        await(left, ASKED_MILLIS);
        for (left = RankThreads.of(process); !left.isEmpty() && System.nanoTime() - start < LIMIT_NANOS; left = RankThreads.of(process)) {
            final StopPoint where = System.nanoTime() - start < PATIENCE_NANOS ? StopPoint.IN_PROGRAM : StopPoint.IN_JDK;
            shutDownExecutors(left);
            for (final Thread thread : left) {
                stop(thread, where);
            }
            interrupt(left);
            await(left, STOPPED_MILLIS);
        }
        return left;
    }

    private static void stop(final Thread thread, final StopPoint where) {
        for (int i = 0; i < TRIES && thread.isAlive() && !ThreadStopper.stop(thread, RankExit.INSTANCE, where); i++) {
            Thread.onSpinWait();
        }
    }

    /** A pool would replace each thread that is stopped. The pool may be a class of the program's, so it is shut down on a thread of the rank. */
    private void shutDownExecutors(final List<Thread> threads) {
        threads.stream().map(ThreadStopper::executorOf).filter(pool -> pool != null && !pool.isShutdown()).distinct()
            .forEach(pool -> Thread.ofPlatform().group(process.group()).daemon().inheritInheritableThreadLocals(false).start(pool::shutdownNow));
    }

    private static void interrupt(final List<Thread> threads) {
        for (final Thread thread : threads) {
            thread.interrupt();
            LockSupport.unpark(thread);
        }
    }

    /** Waits until the threads have ended; false when they have not within {@code millis}. */
    static boolean await(final List<Thread> threads, final long millis) throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (final Thread thread : threads) {
            final long remaining = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (remaining > 0) {
                thread.join(remaining);
            }
            if (thread.isAlive()) {
                return false;
            }
        }
        return true;
    }
}
