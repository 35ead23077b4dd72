package tutti.coll.patterns;

import tutti.coll.BufferRange;
import tutti.coll.Plan;

/**
 * Scratch memory in slots for a few segments or blocks, which are reused in turn: the memory limits how many are in progress. For one plan.
 */
public final class ScratchSlots {
    /** Number of slots for segments that are received, combined and sent at the same time. */
    public static final int PIPELINE_SLOTS = 4;

    private final int count;
    private final long bytes;
    private final BufferRange memory;
    private int last;

    /**
     * @param count number of slots
     * @param bytes length of each
     */
    public ScratchSlots(final Plan plan, final int count, final long bytes) {
        this.count = count;
        this.bytes = bytes;
        this.memory = plan.scratch(count * bytes);
    }

    /** Returns the first {@code length} bytes of the next slot. */
    public BufferRange next(final long length) {
        last = (last + 1) % count;
        return memory.slice(last * bytes, length);
    }
}
