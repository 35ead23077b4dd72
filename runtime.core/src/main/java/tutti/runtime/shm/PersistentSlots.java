package tutti.runtime.shm;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What the ranks of a node show each other in all starts of one persistent collective, which are numbered on their own: it may be started again
 * after any number of other calls. Gone when all ranks have left it. Safe for any thread.
 */
public final class PersistentSlots {
    private final ShmRegion board;
    private final int number;
    private final ConcurrentMap<Integer, RankSlotTable> lanes = new ConcurrentHashMap<>();
    private int gone;

    PersistentSlots(final ShmRegion board, final int number) {
        this.board = board;
        this.number = number;
    }

    /**
     * The rows of one of the communicators that it is on.
     *
     * @param context of the communicator
     * @param ranks   of it
     */
    public RankSlotTable lane(final int context, final int ranks) {
        return lanes.computeIfAbsent(context, c -> new RankSlotTable(ranks, 1));
    }

    int number() {
        return number;
    }

    /** The calling rank will not start it again. */
    public void leave() {
        board.leave(this);
    }

    /** Counts one that left. */
    int left() {
        return ++gone;
    }
}
