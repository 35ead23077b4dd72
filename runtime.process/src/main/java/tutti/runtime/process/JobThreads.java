package tutti.runtime.process;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.stop.ThreadStopper;

/**
 * The threads of a job on this node: how many its ranks may start besides their main threads.
 *
 * <p>Starts are counted and ends are not: when as many threads were started as may live, those that are alive are counted. Where the JVM cannot be
 * guarded, see {@link JvmGuard}, nothing is bounded.
 *
 * <p><b>Threads.</b> Safe for any thread. The counters are atomic; the lock of this object is held while threads are counted.
 */
public final class JobThreads {
    /** Name of the setting of a node that is the limit. */
    public static final String SETTING = "tutti.node.threads";
    /** The limit by default: more than programs need, and few enough to leave other jobs threads. */
    public static final int DEFAULT = 4_096;
    /** The number of virtual threads that may live where one platform thread may. */
    static final int VIRTUAL_PER_THREAD = 32;

    /** After a refusal threads are not counted again for this time, so that a program that tries again and again keeps no core busy. */
    private static final long REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final int limit;
    private final boolean isLastOfTheJvm;
    private final AtomicInteger spare;
    private final AtomicInteger spareVirtual;
    /** Time of the latest refusal; guarded by this object. */
    private long refused = System.nanoTime() - REFUSAL_NANOS;

    /**
     * Creates the bound of a job.
     *
     * @param limit the most platform threads that may live at a time
     */
    public JobThreads(final int limit) {
        this(limit, false);
    }

    /**
     * Creates the bound of a job.
     *
     * @param limit          the most platform threads that may live at a time
     * @param isLastOfTheJvm whether the JVM ends with the job: threads that resist are then left to its end
     */
    public JobThreads(final int limit, final boolean isLastOfTheJvm) {
        this.isLastOfTheJvm = isLastOfTheJvm;
        this.limit = limit;
        this.spare = new AtomicInteger(limit);
        this.spareVirtual = new AtomicInteger(virtualLimit());
    }

    /** Returns how many threads of ended ranks could not be stopped and are alive, and names one of them; null when none is. */
    public static @Nullable String remaining() {
        return RemainingThreads.describe();
    }

    /** Calls {@code listener} whenever threads of a rank could not be stopped, on the thread that ends the rank. It must not block. */
    public static void listen(final Runnable listener) {
        RemainingThreads.listen(listener);
    }

    /** Ends the calls of {@code listener}. */
    public static void unlisten(final Runnable listener) {
        RemainingThreads.unlisten(listener);
    }

    /** Returns whether the JVM ends with the job. */
    boolean isLastOfTheJvm() {
        return isLastOfTheJvm;
    }

    private int virtualLimit() {
        return (int) Math.min(Integer.MAX_VALUE, (long) VIRTUAL_PER_THREAD * limit);
    }

    /** Prepares the operating system for a number of threads that will wait for each other, where it can be prepared. */
    public static void reserve(final int threads) {
        WaitQueues.reserve(threads);
    }

    /**
     * Counts a thread that is about to start.
     *
     * @throws OutOfMemoryError when too many are alive, as where the operating system has no more threads
     */
    void admit(final Thread thread) {
        final AtomicInteger counter = thread.isVirtual() ? spareVirtual : spare;
        if (counter.decrementAndGet() < 0) {
            admitByCount(thread.isVirtual(), counter);
        }
    }

    private synchronized void admitByCount(final boolean virtual, final AtomicInteger counter) {
        final int most = virtual ? virtualLimit() : limit;
        if (counter.decrementAndGet() >= 0) {
            return;
        }
        final long now = System.nanoTime();
        final int left = now - refused < REFUSAL_NANOS ? 0 : most - (int) (virtual ? virtualThreads() : RankThreads.of(this)).count();
        counter.set(Math.max(0, left - 1));
        if (left <= 0) {
            refused = now;
            throw new OutOfMemoryError("too many threads: job has " + most + (virtual ? " virtual" : "") + " threads on this node, limit=" + SETTING
                + (virtual ? "*" + VIRTUAL_PER_THREAD : "") + "; start fewer, or raise the limit in the node's configuration");
        }
    }

    private Stream<Thread> virtualThreads() {
        return ThreadStopper.virtualThreads().filter(t -> {
            final RankProcess rank = CurrentRank.of(t);
            return rank != null && rank.threads() == this;
        });
    }
}
