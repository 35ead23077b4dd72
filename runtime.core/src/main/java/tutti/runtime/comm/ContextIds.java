package tutti.runtime.comm;

import java.util.BitSet;

/**
 * The contexts that one rank allots to the communicators that it leads. Safe for any thread.
 *
 * <p>The leader of a communicator is the first rank of its group, of an intercommunicator that of the first group. It allots the context and
 * tells the others in the exchange that they do anyway, so any number of communicators can be made at once, and those who make one need
 * not agree on what is free. A context names its leader: it is unique in the job because slots are unique at the leader.
 *
 * <p>A context is allotted again only after all ranks of the communicator have freed it, have nothing under way on it any more, and have
 * told the leader so (see {@link DeferredCommFree}). So no receive is posted in it and no schedule runs in it anywhere. Messages that were never
 * received are dropped when a rank frees the communicator; those that came to it even later are when it joins the next communicator
 * of that context, which nobody can send in before.
 */
final class ContextIds {
    // what messages of one communicator are for: kinds of traffic never meet
    static final int MESSAGES = 0;
    static final int COLLECTIVE = 1;
    /** Steps that all ranks take together to make this communicator, or others out of it. */
    static final int NEGOTIATION = 2;
    /** What modules send while they are set up. */
    static final int MODULES = 3;
    /** Steps of some ranks, who make a communicator without the others. */
    static final int GROUPS = 4;
    /** Between leaders of groups, who make an intercommunicator. */
    static final int LEADERS = 5;
    /** News that ranks have freed the communicator. */
    static final int FAREWELL = 6;
    /** What ranks tell each other about collectives before they take part. */
    static final int CHECKS = 7;
    /** Contexts of one communicator. */
    static final int STRIDE = 8;

    static final int WORLD = 0;
    static final int SELF = STRIDE;
    /** In place of a context when there is none left. */
    static final int NONE = -1;
    private static final int FIXED = 2;

    private final int ranks;
    private final int rank;
    private final int slots;
    private final BitSet taken = new BitSet();

    /** Of that rank of a job of so many. */
    ContextIds(final int ranks, final int rank) {
        this.ranks = ranks;
        this.rank = rank;
        this.slots = (Integer.MAX_VALUE / STRIDE - FIXED - rank) / ranks;
    }

    /** The lowest context that is free at this rank; {@link #NONE} when the numbers are used up. */
    synchronized int allot() {
        final int slot = taken.nextClearBit(0);
        if (slot >= slots) {
            return NONE;
        }
        taken.set(slot);
        return (FIXED + slot * ranks + rank) * STRIDE;
    }

    /** Takes a context back; one that another rank allotted is passed over. */
    synchronized void free(final int context) {
        final int id = context / STRIDE - FIXED;
        if (id >= 0 && id % ranks == rank) {
            taken.clear(id / ranks);
        }
    }

    /** How many are in use. */
    synchronized int inUse() {
        return taken.cardinality();
    }
}
