package tutti.runtime.shm;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Table of the slots of each rank of a communicator on this node. A rank's slots are created on first use. Safe for any thread. */
public final class RankSlotTable {
    /** Maximum number of pending calls of one rank on a communicator; more calls wait. */
    public static final int SLOTS = 64;

    private final int slots;
    private final AtomicReferenceArray<RankSlots> rows;

    RankSlotTable(final int ranks, final int slots) {
        this.slots = slots;
        this.rows = new AtomicReferenceArray<>(ranks);
    }

    /** Returns the slots of a rank of the communicator. */
    public RankSlots row(final int rank) {
        final RankSlots rankSlots = rows.get(rank);
        if (rankSlots != null) {
            return rankSlots;
        }
        rows.compareAndSet(rank, null, new RankSlots(slots));
        return rows.get(rank);
    }
}
