package tutti.coll.ring;

import tutti.coll.BufferRange;

/**
 * Memory in which a rank combines its contribution with a block of the ring.
 *
 * @param incoming  memory that the block is received into
 * @param sumStays whether the sum replaces the received block; else it replaces the rank's contribution
 * @param slot     index of the reused scratch slot that {@code arrival} is; {@link #SINGLE_USE} if it is used once
 */
record ReductionTarget(BufferRange incoming, boolean sumStays, int slot) {
    /** Marks memory that is used once. */
    static final int SINGLE_USE = -1;

    /** Selects the memory for each step. */
    interface Choice {
        /** Returns the memory for the block that is received in a step. */
        ReductionTarget at(int step, int block);
    }
}
