package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;
import tutti.coll.Plan;

/** Pieces of scratch memory of one length that take turns, the one that was given back first next. For one plan. */
final class ScratchPool {
    /** How many must have been given back before one is lent again: those that are received while others wait to be sent. */
    static final int AHEAD = 3;

    /**
     * A piece while it is lent.
     *
     * @param place the memory
     * @param free  what whoever writes it first must come after
     */
    record Slot(BufferRange place, int... free) { }

    private final Plan plan;
    private final long bytes;
    private final Deque<Slot> unused = new ArrayDeque<>();

    /** @param bytes of a piece */
    ScratchPool(final Plan plan, final long bytes) {
        this.plan = plan;
        this.bytes = bytes;
    }

    Slot take() {
        return unused.size() < AHEAD ? new Slot(plan.scratch(bytes), Dependencies.NONE) : unused.remove();
    }

    /** Gives a piece back that {@code task} uses last. */
    void giveBack(final Slot slot, final int task) {
        unused.add(new Slot(slot.place, task));
    }
}
