package tutti.coll.ring;

import tutti.coll.BufferRange;

/**
 * Where a rank takes its contribution into a block that comes around the ring.
 *
 * @param arrival  where the block is received
 * @param sumStays whether the sum replaces what was received; else it replaces the rank's contribution
 * @param desk     which scratch memory {@code arrival} is, used again and again; {@link #FRESH} when it is used once
 */
record ReductionTarget(BufferRange arrival, boolean sumStays, int desk) {
    /** Memory that is used once. */
    static final int FRESH = -1;

    /** Chooses a place for each step. */
    interface Choice {
        /** For the block that is received in a step. */
        ReductionTarget at(int step, int block);
    }
}
