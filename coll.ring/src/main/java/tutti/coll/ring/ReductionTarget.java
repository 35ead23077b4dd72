package tutti.coll.ring;

import tutti.coll.BufferRange;

/**
 * Memory in which a rank combines its contribution with a block of the ring.
 *
 * @param arrival  memory that the block is received into
 * @param sumStays whether the sum replaces the received block; else it replaces the rank's contribution
 * @param desk     index of the reused scratch slot that {@code arrival} is; {@link #FRESH} if it is used once
 */
record ReductionTarget(BufferRange arrival, boolean sumStays, int desk) {
    /** Marks memory that is used once. */
    static final int FRESH = -1;

    /** Selects the memory for each step. */
    interface Choice {
        /** Returns the memory for the block that is received in a step. */
        ReductionTarget at(int step, int block);
    }
}
