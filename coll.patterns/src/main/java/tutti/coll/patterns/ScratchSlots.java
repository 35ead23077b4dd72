package tutti.coll.patterns;

import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Scratch memory in slots for a few segments or blocks, which are reused in turn. For one plan. */
public final class ScratchSlots {
    /** Number of slots for segments that are received, combined and sent at the same time. */
    public static final int PIPELINE_SLOTS = 4;
    private static final int SINGLE_USE = -1;

    private final SlotRotation rotation;
    private final long bytes;
    private final BufferRange memory;

    /**
     * A slot, or other memory to receive into.
     *
     * @param span  memory
     * @param after tasks that must complete before it may be written
     * @param index index of the slot; negative for memory that is used once
     */
    public record Slot(BufferRange span, int[] after, int index) {}

    /**
     * @param count number of slots
     * @param bytes length of each
     */
    public ScratchSlots(final Plan plan, final int count, final long bytes) {
        this.rotation = new SlotRotation(count);
        this.bytes = bytes;
        this.memory = plan.scratch(count * bytes);
    }

    /** Returns memory that is used once. */
    public static Slot once(final BufferRange span, final int... after) {
        return new Slot(span, after, SINGLE_USE);
    }

    /** Returns the first {@code length} bytes of the next slot. */
    public Slot next(final long length) {
        final int slot = rotation.next();
        return new Slot(memory.slice(slot * bytes, length), rotation.after(slot), slot);
    }

    /** Records the last task that uses a slot; returns that task. */
    public int usedBy(final Slot slot, final int task) {
        if (slot.index != SINGLE_USE) {
            rotation.usedBy(slot.index, task);
        }
        return task;
    }
}
