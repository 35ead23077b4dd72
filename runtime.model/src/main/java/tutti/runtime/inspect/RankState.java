package tutti.runtime.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a rank does at a moment.
 *
 * @param rank         its number in COMM_WORLD
 * @param activity     whether it computes or waits
 * @param call         method of package {@code mpi} that its main thread is in; null for none
 * @param line         line of the program that its main thread is at; null if it is in none
 * @param waitedMillis time for which it has been waiting in MPI, or 0
 * @param waits        what it waits for: one of these is enough to go on; empty unless it waits
 * @param unreceived   messages of the program that it has not received, the oldest first; not all if there are many
 * @param comms        its communicators with collectives
 * @param windows      its windows that are in use
 * @param files        its files that are open
 */
public record RankState(int rank, Activity activity, @Nullable String call, @Nullable String line, long waitedMillis, List<PendingWait> waits,
    List<UnreceivedMessage> unreceived, List<CommCalls> comms, List<WindowState> windows, List<FileState> files) {

    /** What a rank does. */
    public enum Activity {
        /** It has not started. */
        STARTING,
        /** It runs code of the program, waits outside of MPI, or has other threads that may. */
        COMPUTING,
        /** All its threads wait in MPI, or for the end of those that do. */
        WAITING,
        /** It has called Finalize, and communicates no more. */
        FINALIZED,
        /** It has ended. */
        ENDED
    }

    /** Copies the lists. */
    public RankState {
        waits = List.copyOf(waits);
        unreceived = List.copyOf(unreceived);
        comms = List.copyOf(comms);
        windows = List.copyOf(windows);
        files = List.copyOf(files);
    }

    /** Creates the state of a rank without windows and files. */
    public RankState(final int rank, final Activity activity, final @Nullable String call, final @Nullable String line, final long waitedMillis,
        final List<PendingWait> waits, final List<UnreceivedMessage> unreceived, final List<CommCalls> comms) {
        this(rank, activity, call, line, waitedMillis, waits, unreceived, comms, List.of(), List.of());
    }

    /** Returns whether the rank is as it was at an earlier time, but for the time that it has waited. */
    public boolean isAs(final RankState earlier) {
        return equals(new RankState(earlier.rank, earlier.activity, earlier.call, earlier.line, waitedMillis, earlier.waits, earlier.unreceived,
            earlier.comms, earlier.windows, earlier.files));
    }
}
