package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The shared-memory slots of one persistent collective on one node. Its starts have numbers of their own, so it may be started again after any
 * number of other calls. Removed when all ranks of the node have left it. Safe for any thread.
 *
 * <p><b>Threads.</b> The number of ranks that left changes under the lock that the region's map holds on the entry; the tables are in a concurrent
 * map.
 */
public final class PersistentSlots {
    /** Number of starts by which a rank may be ahead of those that read its shared memory. */
    private static final int SLOTS = 8;

    private final ShmRegion region;
    private final int number;
    private final ConcurrentMap<ShmRegions.Key, RankSlotTable> slotTables = new ConcurrentHashMap<>();
    private int leftCount;

    PersistentSlots(final ShmRegion board, final int number) {
        this.region = board;
        this.number = number;
    }

    /**
     * Returns the slots of one of the communicators that the collective uses.
     *
     * @param context context id of the communicator
     * @param leader  rank in COMM_WORLD of its first rank: hidden communicators of different ranks may have the same context id
     * @param ranks   number of its ranks
     * @param calls   its slots for numbered calls
     */
    public RankSlotTable slotTable(final long context, final int leader, final int ranks, final RankSlotTable calls) {
        return slotTables.computeIfAbsent(new ShmRegions.Key(context, leader), c -> new RankSlotTable(ranks, SLOTS, calls));
    }

    int number() {
        return number;
    }

    /** Ends the use by the calling rank, which will not start the collective again. */
    public void leave() {
        region.leave(this);
    }

    /** Counts a rank that left. Returns how many have. */
    int incrementLeft() {
        return ++leftCount;
    }
}
