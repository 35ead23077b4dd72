package tutti.runtime.shm;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Table of the slots of each rank of a communicator on this node. A rank's slots are created on first use. Safe for any thread.
 *
 * <p><b>Threads.</b> A compare-and-set publishes the slots of a rank: of several threads that create them at once, all get the same. Nobody waits.
 */
public final class RankSlotTable {
    /** Maximum number of pending calls of one rank on a communicator; more calls wait. */
    public static final int SLOTS = 64;

    private final int slotCount;
    /** The slots of the same ranks for numbered calls, with which they leave; null if these are they. */
    private final @Nullable RankSlotTable base;
    private final AtomicReferenceArray<RankSlots> slotsOfRank;

    RankSlotTable(final int ranks, final int slots, final @Nullable RankSlotTable base) {
        this.base = base;
        this.slotCount = slots;
        this.slotsOfRank = new AtomicReferenceArray<>(ranks);
    }

    /** Returns the slots of a rank of the communicator. */
    public RankSlots slots(final int rank) {
        final RankSlots rankSlots = slotsOfRank.get(rank);
        if (rankSlots != null) {
            return rankSlots;
        }
        final RankSlots created = new RankSlots(slotCount);
        if (slotsOfRank.compareAndSet(rank, null, created) && base != null) {
            base.slots(rank).follow(created);
        }
        return slotsOfRank.get(rank);
    }

    /** Returns the number of ranks. */
    int size() {
        return slotsOfRank.length();
    }
}
