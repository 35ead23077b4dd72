package tutti.coll.patterns;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Pool of scratch memory for temporary values: reuses released memory of the same length, in the order of its release. For one plan. */
public final class ScratchPool {
    private final Plan plan;
    private final int spare;
    private final Deque<Slot> released = new ArrayDeque<>();

    /**
     * Memory in use.
     *
     * @param memory the memory
     * @param after  tasks that the first write depends on; {@link DependencyTracker} finds them itself
     */
    public record Slot(BufferRange memory, int... after) {}

    /** @param spare number of released slots that are kept before one is reused */
    public ScratchPool(final Plan plan, final int spare) {
        this.plan = plan;
        this.spare = spare;
    }

    /** Returns memory of that length: released memory if there is enough, else new memory. */
    public Slot take(final long bytes) {
        if (released.size() > spare) {
            for (final Iterator<Slot> slots = released.iterator(); slots.hasNext();) {
                final Slot slot = slots.next();
                if (slot.memory.bytes() == bytes) {
                    slots.remove();
                    return slot;
                }
            }
        }
        return new Slot(plan.scratch(bytes));
    }

    /** Releases memory, if it is scratch memory, after the tasks that use it last. */
    public void release(final BufferRange memory, final int... lastUsers) {
        if (memory.buffer() == Buffer.SCRATCH) {
            released.add(new Slot(memory, lastUsers));
        }
    }
}
