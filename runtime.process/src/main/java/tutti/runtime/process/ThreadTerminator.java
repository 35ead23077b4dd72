package tutti.runtime.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.process.stop.SafeStopPoint;
import tutti.runtime.process.stop.ThreadStopper;

/** Ends the threads of a rank: interrupts them, then stops them in rounds, at last also within the JDK. For one thread. */
final class ThreadTerminator {
    private static final long INTERRUPT_WAIT_MILLIS = 200;
    private static final long STOP_WAIT_MILLIS = 50;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The minimum number of rounds. With many runaway threads per core, few rounds fit into {@link #LIMIT_NANOS}. */
    private static final int MIN_ROUNDS = 12;
    private static final long OVERLOADED_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** The number of rounds after which threads are stopped within the JDK as well. */
    private static final int IN_PROGRAM_ROUNDS = 3;
    /** The number of rounds after which a thread is one that catches errors in a loop. */
    private static final int SINGLE_ROUNDS = 5;
    /** The number of tries in a round to stop such a thread, and to stop all of them. */
    private static final int TRIES = 60;
    private static final int MAX_TRIES = 6_000;

    private final RankProcess process;

    ThreadTerminator(final RankProcess process) {
        this.process = process;
    }

    /** Ends the threads, and returns those that are still alive, normally none. */
    List<Thread> end(final String reason) throws InterruptedException {
        process.setThreadsMustEnd();
        List<Thread> left = RankThreads.of(process);
        if (left.isEmpty()) {
            return left;
        }
        RankEnding.begin();
        try {
            left = end(left, reason);
            return left;
        } finally {
            if (left.isEmpty()) {
                RankEnding.end();
            }
        }
    }

    private List<Thread> end(final List<Thread> found, final String reason) throws InterruptedException {
        final long start = System.nanoTime();
        interrupt(found);
        process.hooks().wake(reason);
        await(found, INTERRUPT_WAIT_MILLIS);
        List<Thread> left = RankThreads.of(process);
        for (int round = 0; !left.isEmpty() && mayContinue(round, System.nanoTime() - start); round++) {
            final boolean inProgram = round < IN_PROGRAM_ROUNDS;
            final List<Thread> workers = shutDownExecutors(left);
            stop(inProgram ? without(left, workers) : left, inProgram ? SafeStopPoint.IN_PROGRAM : SafeStopPoint.IN_JDK,
                round < SINGLE_ROUNDS ? 1 : TRIES);
            await(left, STOP_WAIT_MILLIS);
            left = RankThreads.of(process);
        }
        return left;
    }

    private boolean mayContinue(final int round, final long nanos) {
        return nanos < LIMIT_NANOS || !process.threads().isLastOfTheJvm() && round < MIN_ROUNDS && nanos < OVERLOADED_LIMIT_NANOS;
    }

    /**
     * Shuts down the executors of the threads, which would replace each thread that is stopped, and returns the threads that had one. An executor
     * may be of a class of the program, so it is shut down on a thread of the rank. Its idle workers end by themselves; a worker that is stopped
     * while it waits for a task leaves the lock of the queue in a state in which the other workers wait for ever.
     */
    private List<Thread> shutDownExecutors(final List<Thread> threads) {
        final List<Thread> workers = new ArrayList<>();
        final Set<ExecutorService> executors = Collections.newSetFromMap(new IdentityHashMap<>());
        for (final Thread thread : threads) {
            final ExecutorService executor = ThreadStopper.executorOf(thread);
            if (executor != null) {
                workers.add(thread);
                if (executors.add(executor) && !executor.isShutdown()) {
                    Thread.ofPlatform().group(process.group()).daemon().inheritInheritableThreadLocals(false).start(executor::shutdownNow);
                }
            }
        }
        return workers;
    }

    private static List<Thread> without(final List<Thread> threads, final List<Thread> excluded) {
        final Set<Thread> others = new HashSet<>(excluded);
        return threads.stream().filter(t -> !others.contains(t)).toList();
    }

    /** Interrupts threads that other rounds have not ended, and tries to stop them. */
    static void stopAgain(final List<Thread> threads) {
        stop(threads, SafeStopPoint.IN_JDK, TRIES);
    }

    private static void stop(final List<Thread> threads, final SafeStopPoint where, final int tries) {
        interrupt(threads);
        ThreadStopper.stop(threads, RankExitError.INSTANCE, where, Math.clamp(MAX_TRIES / Math.max(1, threads.size()), 1, tries));
    }

    private static void interrupt(final List<Thread> threads) {
        for (final Thread thread : threads) {
            thread.interrupt();
            LockSupport.unpark(thread);
        }
    }

    /** Waits until the threads have ended; returns false when they have not ended within {@code millis}. */
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
