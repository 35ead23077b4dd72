package tutti.coll.ring;

import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Scratch memory for a few segments or blocks, which take turns in it. For one plan. */
final class ScratchSlots {
    /** As many as segments need that are received, combined and passed on at once. */
    static final int FOR_SEGMENTS = 4;
    private static final int FRESH = -1;

    private final SlotRotation turns;
    private final long bytes;
    private final BufferRange memory;

    /**
     * Memory to receive into.
     *
     * @param span the memory
     * @param free what must be done before
     * @param slot which slot it is; negative where it is used once
     */
    record Slot(BufferRange span, int[] free, int slot) { }

    /**
     * @param count how many
     * @param bytes of each
     */
    ScratchSlots(final Plan plan, final int count, final long bytes) {
        this.turns = new SlotRotation(count);
        this.bytes = bytes;
        this.memory = plan.scratch(count * bytes);
    }

    /** Memory that is used once. */
    static Slot once(final BufferRange span, final int... free) {
        return new Slot(span, free, FRESH);
    }

    /** The next slot, or the first bytes of it. */
    Slot next(final long length) {
        final int slot = turns.next();
        return new Slot(memory.slice(slot * bytes, length), turns.free(slot), slot);
    }

    /** Notes who uses a slot last; returns that task. */
    int usedBy(final Slot room, final int task) {
        if (room.slot != FRESH) {
            turns.usedBy(room.slot, task);
        }
        return task;
    }
}
