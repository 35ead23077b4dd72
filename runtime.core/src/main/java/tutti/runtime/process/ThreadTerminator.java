package tutti.runtime.process;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Ends the threads of a rank: asks them, then stops them, harder with every round. For one thread. */
final class ThreadTerminator {
    private static final long ASKED_MILLIS = 200;
    private static final long STOPPED_MILLIS = 50;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** On a machine with many runaway threads for each core neither they nor this thread get far in the time above. */
    private static final int LEAST_ROUNDS = 12;
    private static final long OVERLOADED_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** After that many rounds threads are stopped within the JDK as well. */
    private static final int PATIENT_ROUNDS = 3;

    private final RankProcess process;

    ThreadTerminator(final RankProcess process) {
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
        left = RankThreads.of(process);
        for (int round = 0; !left.isEmpty() && goesOn(round, System.nanoTime() - start); round++) {
            shutDownExecutors(left);
            stop(left, round < PATIENT_ROUNDS ? SafeStopPoint.IN_PROGRAM : SafeStopPoint.IN_JDK);
            await(left, STOPPED_MILLIS);
            left = RankThreads.of(process);
        }
        return left;
    }

    private static boolean goesOn(final int round, final long nanos) {
        return nanos < LIMIT_NANOS || round < LEAST_ROUNDS && nanos < OVERLOADED_LIMIT_NANOS;
    }

    /** A pool would replace each thread that is stopped. The pool may be a class of the program's, so it is shut down on a thread of the rank. */
    private void shutDownExecutors(final List<Thread> threads) {
        threads.stream().map(ThreadStopper::executorOf).filter(pool -> pool != null && !pool.isShutdown()).distinct()
            .forEach(pool -> Thread.ofPlatform().group(process.group()).daemon().inheritInheritableThreadLocals(false).start(pool::shutdownNow));
    }

    /** Interrupts, and tries once to stop. */
    static void stop(final List<Thread> threads, final SafeStopPoint where) {
        interrupt(threads);
        ThreadStopper.stop(threads, RankExit.INSTANCE, where);
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
