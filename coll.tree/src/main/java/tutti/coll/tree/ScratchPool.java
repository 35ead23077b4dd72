package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Pool of scratch slots of one length, which are reused in the order of their release. For one plan. */
final class ScratchPool {
    /** Number of released slots that are kept before one is reused: values are received while others wait to be sent. */
    static final int AHEAD = 3;

    /**
     * A slot in use.
     *
     * @param place memory
     * @param free  tasks that the first write depends on
     */
    record Slot(BufferRange place, int... free) { }

    private final Plan plan;
    private final long bytes;
    private final Deque<Slot> unused = new ArrayDeque<>();

    /** @param bytes length of a slot */
    ScratchPool(final Plan plan, final long bytes) {
        this.plan = plan;
        this.bytes = bytes;
    }

    Slot take() {
        return unused.size() < AHEAD ? new Slot(plan.scratch(bytes), Dependencies.NONE) : unused.remove();
    }

    /** Releases a slot that {@code task} uses last. */
    void giveBack(final Slot slot, final int task) {
        unused.add(new Slot(slot.place, task));
    }
}
