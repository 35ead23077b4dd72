package tutti.runtime.lifecycle;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the threads of this node that are busy running ranks, to decide whether a waiting thread may spin.
 *
 * <p>A rank's thread counts from its start to its end, except while it is parked. Spinning pays only while every busy thread has a core of its
 * own: with more busy threads than cores, the spinning thread delays the very thread that it waits for.
 *
 * <p><b>Threads.</b> Safe for any thread. The counter is atomic and orders nothing else: a decision by an old value costs time only.
 */
public final class CoreOccupancy {
    /** Number of cores that this node may use: the system property {@code tutti.cores}, by default all cores of the machine. */
    private static final int COUNT = Integer.getInteger("tutti.cores", Runtime.getRuntime().availableProcessors());
    private static final AtomicInteger BUSY = new AtomicInteger();

    private CoreOccupancy() {}

    /** Counts the calling thread as busy: it begins to run a rank, or continues after it was parked. */
    public static void enter() {
        BUSY.incrementAndGet();
    }

    /** Stops counting the calling thread as busy: it ends, or is about to park. */
    public static void leave() {
        BUSY.decrementAndGet();
    }

    /** Returns whether a waiting thread may spin. */
    public static boolean maySpin() {
        return BUSY.get() <= COUNT;
    }
}
