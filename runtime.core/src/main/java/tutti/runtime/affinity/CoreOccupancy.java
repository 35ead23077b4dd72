package tutti.runtime.affinity;

/**
 * Counts the threads of this machine that are busy running ranks, to decide whether a waiting thread may spin. Nodes that share the machine, in this
 * process or another, are counted together.
 *
 * <p>A rank's thread counts from its start to its end, except while it is parked or waits for standard input. Spinning pays only while every busy
 * thread has a core of its own: with more busy threads than cores, the spinning thread delays the very thread that it waits for.
 *
 * <p><b>Threads.</b> Safe for any thread. The counters are atomic and order nothing else: a decision by an old value costs time only.
 */
public final class CoreOccupancy {
    /** Number of cores for the ranks of all nodes on this machine: the system property {@code tutti.machine.cores}, by default all cores. */
    private static final int COUNT = Integer.getInteger("tutti.machine.cores", Runtime.getRuntime().availableProcessors());
    private static final OccupancyFile BUSY = OccupancyFile.open();

    private CoreOccupancy() {}

    /** Counts the calling thread as busy: it begins to run a rank, or continues after it was parked. */
    public static void enter() {
        BUSY.add(1);
    }

    /** Stops counting the calling thread as busy: it ends, or is about to park. */
    public static void leave() {
        BUSY.add(-1);
    }

    /** Takes note of processes that have started or ended since the last call. Reads the list of processes: for the start of a job. */
    public static void refresh() {
        BUSY.refresh();
    }

    /** Returns whether the machine has a core for each of so many threads. */
    public static boolean isForEach(final long threads) {
        return threads <= COUNT;
    }

    /** Returns whether a waiting thread may spin. */
    public static boolean maySpin() {
        return BUSY.sum() <= COUNT;
    }
}
