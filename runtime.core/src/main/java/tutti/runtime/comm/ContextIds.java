package tutti.runtime.comm;

import java.util.BitSet;

/**
 * Allots the context ids of the communicators that one rank leads. Safe for any thread.
 *
 * <p>The leader of a communicator is the first rank of its group, of an intercommunicator that of the first group. It allots the context id and
 * sends it to the others in the exchange that they perform anyway. So any number of communicators can be created concurrently, and the creating
 * ranks need not agree on which ids are free. A context id encodes its leader: it is unique in the job because slots are unique at the leader.
 *
 * <p>A context id is allotted again only after all ranks of the communicator have freed it, have no pending operation on it, and have notified
 * the leader (see {@link DeferredCommFree}). So no receive is posted in it and no schedule runs in it on any rank. Unexpected messages are
 * dropped when a rank frees the communicator. Those that arrive later are dropped when the rank joins the next communicator with that context
 * id, in which no rank can send before.
 */
final class ContextIds {
    // kinds of traffic of one communicator: messages of different kinds never match
    static final int MESSAGES = 0;
    static final int COLLECTIVE = 1;
    /** Bootstrap collectives of all ranks, to create this communicator or others from it. */
    static final int BOOTSTRAP = 2;
    /** Messages of modules during their initialization. */
    static final int MODULES = 3;
    /** Bootstrap collectives of some ranks, which create a communicator without the others. */
    static final int GROUPS = 4;
    /** Messages between the leaders of groups that create an intercommunicator. */
    static final int LEADERS = 5;
    /** Notifications that ranks have freed the communicator. */
    static final int FREED = 6;
    /** Consistency checks of collectives before they run. */
    static final int CHECKS = 7;
    /** Number of context ids per communicator. */
    static final int STRIDE = 8;

    static final int WORLD = 0;
    static final int SELF = STRIDE;
    /** Returned when no context id is left. */
    static final int NONE = -1;
    private static final int PREDEFINED = 2;

    private final int ranks;
    private final int rank;
    private final int slots;
    private final BitSet taken = new BitSet();

    /** Creates the context ids of a rank, in a job of {@code ranks} ranks. */
    ContextIds(final int ranks, final int rank) {
        this.ranks = ranks;
        this.rank = rank;
        this.slots = (Integer.MAX_VALUE / STRIDE - PREDEFINED - rank) / ranks;
    }

    /** Allots and returns the lowest context id that is free at this rank; {@link #NONE} when all are in use. */
    synchronized int allot() {
        final int slot = taken.nextClearBit(0);
        if (slot >= slots) {
            return NONE;
        }
        taken.set(slot);
        return (PREDEFINED + slot * ranks + rank) * STRIDE;
    }

    /** Releases a context id; ignores one that another rank allotted. */
    synchronized void free(final int context) {
        final int id = context / STRIDE - PREDEFINED;
        if (id >= 0 && id % ranks == rank) {
            taken.clear(id / ranks);
        }
    }

    /** Returns the number of context ids in use. */
    synchronized int inUse() {
        return taken.cardinality();
    }
}
