package tutti.coll.ring;

import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Scratch memory in slots for a few segments or blocks, which are reused in turn. For one plan. */
final class ScratchSlots {
    /** Number of slots for segments that are received, combined and sent at the same time. */
    static final int FOR_SEGMENTS = 4;
    private static final int FRESH = -1;

    private final SlotRotation turns;
    private final long bytes;
    private final BufferRange memory;

    /**
     * A slot, or other memory to receive into.
     *
     * @param span memory
     * @param free tasks that must complete before it may be written
     * @param slot index of the slot; negative for memory that is used once
     */
    record Slot(BufferRange span, int[] free, int slot) { }

    /**
     * @param count number of slots
     * @param bytes length of each
     */
    ScratchSlots(final Plan plan, final int count, final long bytes) {
        this.turns = new SlotRotation(count);
        this.bytes = bytes;
        this.memory = plan.scratch(count * bytes);
    }

    /** Returns memory that is used once. */
    static Slot once(final BufferRange span, final int... after) {
        return new Slot(span, after, FRESH);
    }

    /** Returns the first {@code length} bytes of the next slot. */
    Slot next(final long length) {
        final int slot = turns.next();
        return new Slot(memory.slice(slot * bytes, length), turns.free(slot), slot);
    }

    /** Records the last task that uses a slot; returns that task. */
    int usedBy(final Slot slot, final int task) {
        if (slot.slot != FRESH) {
            turns.usedBy(slot.slot, task);
        }
        return task;
    }
}
