package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Pool of scratch slots of one length, which are reused in the order of their release. For one plan. */
final class ScratchPool {
    /** Number of released slots that are kept before one is reused: values are received while others wait to be sent. */
    static final int MIN_RELEASED = 3;

    /**
     * A slot in use.
     *
     * @param memory memory
     * @param after  tasks that the first write depends on
     */
    record Slot(BufferRange memory, int... after) {}

    private final Plan plan;
    private final long bytes;
    private final Deque<Slot> released = new ArrayDeque<>();

    /** @param bytes length of a slot */
    ScratchPool(final Plan plan, final long bytes) {
        this.plan = plan;
        this.bytes = bytes;
    }

    Slot take() {
        return released.size() < MIN_RELEASED ? new Slot(plan.scratch(bytes), Dependencies.NONE) : released.remove();
    }

    /** Releases a slot that {@code task} uses last. */
    void release(final Slot slot, final int task) {
        released.add(new Slot(slot.memory, task));
    }
}
