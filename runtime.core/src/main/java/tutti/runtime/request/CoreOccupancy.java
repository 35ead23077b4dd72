package tutti.runtime.request;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many threads of this node are busy running ranks, to decide whether a waiting one may burn a core.
 *
 * <p>A rank's thread counts from its start to its end, but for the time that it is parked. Spinning pays only while every busy thread has
 * a core of its own: with more, the spinning thread would hold up the very one that it waits for.
 */
public final class CoreOccupancy {
    /** Cores that this node may count on: the system property {@code tutti.cores}, by default all that the machine has. */
    private static final int COUNT = Integer.getInteger("tutti.cores", Runtime.getRuntime().availableProcessors());
    private static final AtomicInteger BUSY = new AtomicInteger();

    private CoreOccupancy() { }

    /** A rank's thread begins to run, or goes on after it was parked. */
    public static void enter() {
        BUSY.incrementAndGet();
    }

    /** A rank's thread ends, or is about to park. */
    public static void leave() {
        BUSY.decrementAndGet();
    }

    /** Whether a thread that waits may burn a core. */
    public static boolean maySpin() {
        return BUSY.get() <= COUNT;
    }
}
