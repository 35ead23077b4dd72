package tutti.runtime.inspect;

import java.util.List;

/**
 * A window of a rank at a moment: what the rank may access, and who has locked its memory.
 *
 * @param context     the window's communicator, as {@link CommCalls} names it
 * @param name        its name
 * @param epoch       the epochs that are open: none, or fence, start, lock, lockAll and post, with ranks of the window
 * @param holders     ranks in COMM_WORLD that have locked this rank's memory, {@link PendingWait#ELSEWHERE} for one of another job
 * @param isExclusive whether the lock is exclusive
 * @param waiting     ranks that wait for a lock on it, in the order in which they get it
 */
public record WindowState(long context, String name, String epoch, List<Integer> holders, boolean isExclusive, List<Integer> waiting) {
    /** The epoch of a rank that may access no memory of others. */
    public static final String NO_EPOCH = "none";

    /** Copies the lists. */
    public WindowState {
        holders = List.copyOf(holders);
        waiting = List.copyOf(waiting);
    }

    /** Returns whether an epoch is open, or the memory is locked. */
    public boolean isInUse() {
        return !epoch.equals(NO_EPOCH) || !holders.isEmpty();
    }
}
