package tutti.coll.ring;

import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Scratch memory for a few segments or blocks, which take turns in it. For one plan. */
final class Slots {
    /** As many as segments need that are received, combined and passed on at once. */
    static final int FOR_SEGMENTS = 4;
    private static final int FRESH = -1;

    private final Turns turns;
    private final long bytes;
    private final BufferRange memory;

    /**
     * Memory to receive into.
     *
     * @param span the memory
     * @param free what must be done before
     * @param slot which slot it is; negative where it is used once
     */
    record Room(BufferRange span, int[] free, int slot) { }

    /**
     * @param count how many
     * @param bytes of each
     */
    Slots(final Plan plan, final int count, final long bytes) {
        this.turns = new Turns(count);
        this.bytes = bytes;
        this.memory = plan.scratch(count * bytes);
    }

    /** Memory that is used once. */
    static Room once(final BufferRange span, final int... free) {
        return new Room(span, free, FRESH);
    }

    /** The next slot, or the first bytes of it. */
    Room next(final long length) {
        final int slot = turns.next();
        return new Room(memory.slice(slot * bytes, length), turns.free(slot), slot);
    }

    /** Notes who uses a slot last; returns that task. */
    int usedBy(final Room room, final int task) {
        if (room.slot != FRESH) {
            turns.usedBy(room.slot, task);
        }
        return task;
    }
}
