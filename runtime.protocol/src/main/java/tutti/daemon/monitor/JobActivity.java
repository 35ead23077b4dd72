package tutti.daemon.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Activity of a job's ranks at a moment, and which of them wait for each other. Its lists have the first {@link #MOST} ranks at most, those that can
 * never go on before the others.
 *
 * @param size  number of ranks of the job
 * @param text  lines that {@code tutti ps JOB --ranks} prints
 * @param ranks ranks; none while the job starts
 * @param stuck numbers of those that wait for what cannot come
 * @param cycle numbers of ranks that wait in a circle, each for the next and the last one for the first again; empty where none was found
 */
public record JobActivity(int size, String text, List<RankActivity> ranks, List<Integer> stuck, List<Integer> cycle) {
    /** Most ranks in the lists. */
    public static final int MOST = 256;

    /** Copies the lists. */
    public JobActivity {
        ranks = List.copyOf(ranks);
        stuck = List.copyOf(stuck);
        cycle = List.copyOf(cycle);
    }

    /** Returns the ranks of a job that starts. */
    public static JobActivity starting(final int size, final String text) {
        return new JobActivity(size, text, List.of(), List.of(), List.of());
    }

    /**
     * Activity of a rank.
     *
     * @param rank         its number in COMM_WORLD
     * @param node         name of its node
     * @param activity     starting, computing, waiting, finalized, ended, or unknown where its node does not answer
     * @param call         method of package {@code mpi} that its main thread is in; null for none
     * @param line         line of the program that its main thread is at; null if it is in none
     * @param waitedMillis time for which it has been waiting in MPI, or 0
     * @param waits        what it waits for, of which one is enough
     * @param unreceived   messages that it has not received, a text each
     * @param windows      windows with an epoch, or whose memory of this rank is locked, a text each
     * @param files        files that are open, a text each
     */
    public record RankActivity(int rank, String node, String activity, @Nullable String call, @Nullable String line, long waitedMillis,
        List<RankWait> waits, List<String> unreceived, List<String> windows, List<String> files) {
        /** Copies the lists. */
        public RankActivity {
            waits = List.copyOf(waits);
            unreceived = List.copyOf(unreceived);
            windows = List.copyOf(windows);
            files = List.copyOf(files);
        }

        /** Creates the activity of a rank without windows and files. */
        public RankActivity(final int rank, final String node, final String activity, final @Nullable String call, final @Nullable String line,
            final long waitedMillis, final List<RankWait> waits, final List<String> unreceived) {
            this(rank, node, activity, call, line, waitedMillis, waits, unreceived, List.of(), List.of());
        }
    }

    /**
     * Operation that a rank waits for.
     *
     * @param text  text for people, for example {@code a message of rank 1, tag 7, MPI_COMM_WORLD}
     * @param ranks ranks of the job that it waits for
     */
    public record RankWait(String text, List<Integer> ranks) {
        /** Copies the list. */
        public RankWait {
            ranks = List.copyOf(ranks);
        }
    }
}
