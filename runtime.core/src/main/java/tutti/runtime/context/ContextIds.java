package tutti.runtime.context;

import java.util.BitSet;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Allots the context ids of the communicators that one rank leads. Safe for any thread.
 *
 * <p>The leader of a communicator is the first rank of its group, of an intercommunicator that of the first group. It allots the context id and
 * sends it to the others in the exchange that they perform anyway. So any number of communicators can be created concurrently, and the creating
 * ranks need not agree on which ids are free. A context id encodes its leader and the leader's job: it is unique, also among connected jobs, because
 * slots are unique at the leader.
 *
 * <p>A context id is allotted again only after all ranks of the communicator have freed it, have no pending operation on it, and have notified
 * the leader (see {@code DeferredCommFree}). So no receive is posted in it and no schedule runs in it on any rank. Unexpected messages are
 * dropped when a rank frees the communicator. Those that arrive later are dropped when the rank joins the next communicator with that context
 * id: see {@link CommContext#open} and {@link CommContext#openDuplicate}. Slots are used in turn, so that is long after.
 *
 * <p><b>Threads.</b> The lock of this object guards the set of slots in use and is held for one access. No thread waits for a free context id.
 */
public final class ContextIds {
    /** Messages of the program. Messages of different kinds of traffic of a communicator never match. */
    public static final int MESSAGES = 0;
    /** Messages of collectives. */
    public static final int COLLECTIVE = 1;
    /** Bootstrap collectives of all ranks, to create this communicator or others from it. */
    public static final int BOOTSTRAP = 2;
    /** Messages of modules during their initialization. */
    public static final int MODULES = 3;
    /** Bootstrap collectives of some ranks, which create a communicator without the others. */
    public static final int GROUPS = 4;
    /** Messages between the leaders of groups that create an intercommunicator. */
    public static final int LEADERS = 5;
    /** Exchanges of all ranks that change the modules of the communicator while the program calls it. */
    public static final int LIVE = 6;
    /** Messages of modules during such a change. */
    public static final int LIVE_MODULES = 7;
    /** Notifications that ranks have freed the communicator. */
    public static final int FREED = 8;
    /** Consistency checks of collectives before they run. */
    public static final int CHECKS = 9;
    /** Markers that all earlier messages of a rank have arrived, before a checkpoint. */
    public static final int CHECKPOINTS = 10;
    /** Messages of Finalize. */
    public static final int FINALIZE = 11;
    /** Messages of windows. */
    public static final int WINDOWS = 12;
    /** Exchanges of all ranks that compare the times of algorithms, in calls of the program. */
    public static final int TUNING = 13;
    /** Messages of agreements, and of the revocation of the communicator. */
    public static final int AGREEMENTS = 14;
    /** Bootstrap collectives of the ranks that live, which create a communicator without the others. */
    public static final int SURVIVORS = 15;
    /** Number of context ids per communicator: a power of two, so that the id of a communicator is a multiple of it in every job. */
    public static final int STRIDE = 16;

    /** Context id of COMM_WORLD. */
    public static final int WORLD = 0;
    /** Context id of COMM_SELF. */
    public static final int SELF = STRIDE;
    /** Returned when no context id is left. */
    public static final long NONE = -1;
    private static final int PREDEFINED = 2;
    /** Number of slots that are used in turn, so that a context id that was freed is not used again at once. */
    private static final int TURN = 1024;

    private final long job;
    private final int ranks;
    private final int rank;
    private final int slots;
    private final BitSet taken = new BitSet();
    /** The slot from which the next one is searched. */
    private int next;

    /**
     * Creates the context ids of a rank, in a job of {@code ranks} ranks.
     *
     * @param job number of the job, from 0: distinguishes its context ids from those of other jobs that it is connected to
     */
    ContextIds(final int job, final int ranks, final int rank) {
        this.job = (long) job << Integer.SIZE;
        this.ranks = ranks;
        this.rank = rank;
        this.slots = (Integer.MAX_VALUE / STRIDE - PREDEFINED - rank) / ranks;
    }

    /** Returns whether messages of that kind end when the communicator is revoked: not those that free it, or that the survivors need. */
    static boolean isOfProgram(final int kind) {
        return kind != FREED && kind != FINALIZE && kind != AGREEMENTS && kind != SURVIVORS;
    }

    /** Allots and returns a context id that is free at this rank; {@link #NONE} when all are in use. */
    public synchronized long allot() {
        int slot = taken.nextClearBit(next);
        if (slot >= Math.min(slots, TURN)) {
            slot = taken.nextClearBit(0);
        }
        if (slot >= slots) {
            return NONE;
        }
        taken.set(slot);
        next = slot + 1;
        final int id = (PREDEFINED + slot * ranks + rank) * STRIDE;
        return job | id;
    }

    /** Refuses {@link #NONE}. */
    public static void check(final long context) {
        if (context == NONE) {
            // Cause: a job has a bounded number of them at once.
            throw new MpiFailure(ErrorClass.OTHER, "too many communicators: free the ones that are not needed");
        }
    }

    /** Releases a context id; ignores one that another rank allotted. */
    public synchronized void free(final long context) {
        final int id = (int) context / STRIDE - PREDEFINED;
        if (context - (int) context == job && id >= 0 && id % ranks == rank) {
            taken.clear(id / ranks);
        }
    }

    /** Returns the number of context ids in use. */
    public synchronized int inUse() {
        return taken.cardinality();
    }
}
