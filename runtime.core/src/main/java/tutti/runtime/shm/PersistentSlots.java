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
    private final ShmRegion region;
    private final int number;
    private final ConcurrentMap<Long, RankSlotTable> slotTables = new ConcurrentHashMap<>();
    private int leftCount;

    PersistentSlots(final ShmRegion board, final int number) {
        this.region = board;
        this.number = number;
    }

    /**
     * Returns the slots of one of the communicators that the collective uses.
     *
     * @param context context id of the communicator
     * @param ranks   number of its ranks
     */
    public RankSlotTable slotTable(final long context, final int ranks) {
        return slotTables.computeIfAbsent(context, c -> new RankSlotTable(ranks, 1));
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
