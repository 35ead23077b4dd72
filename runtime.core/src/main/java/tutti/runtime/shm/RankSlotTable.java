package tutti.runtime.shm;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** A row for each rank of a communicator that is on this node, made when it is first asked for. Safe for any thread. */
public final class RankSlotTable {
    /** Calls of one rank that may be under way at once on a communicator; more wait. */
    public static final int SLOTS = 64;

    private final int slots;
    private final AtomicReferenceArray<RankSlots> rows;

    RankSlotTable(final int ranks, final int slots) {
        this.slots = slots;
        this.rows = new AtomicReferenceArray<>(ranks);
    }

    /** The row of a rank of the communicator. */
    public RankSlots row(final int rank) {
        final RankSlots row = rows.get(rank);
        if (row != null) {
            return row;
        }
        rows.compareAndSet(rank, null, new RankSlots(slots));
        return rows.get(rank);
    }
}
