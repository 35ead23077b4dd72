package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * What a rank takes in from its children, one segment after the other.
 *
 * <p>A reduce task leaves its result where the higher operand was. So the contribution, which is the lowest operand, is only read, and the sum
 * is in the end where the last child's value was received. For one plan.
 */
final class ChildReduction {
    private final Plan plan;
    private final RootedTree tree;
    private final Reduction reduction;
    private final Bracketing brackets;
    private final ScratchPool slots;

    /** @param bytes of the longest segment */
    ChildReduction(final Plan plan, final RootedTree tree, final Reduction reduction, final Bracketing brackets, final long bytes) {
        this.plan = plan;
        this.tree = tree;
        this.reduction = reduction;
        this.brackets = brackets;
        this.slots = new ScratchPool(plan, bytes);
    }

    /**
     * The reduction over a run of ranks, somewhere.
     *
     * @param place where it lies
     * @param ranks how many ranks
     * @param slot  which slot that is; null if none
     * @param after what it is there after
     */
    record Value(BufferRange place, int ranks, ScratchPool.Slot slot, int... after) { }

    /**
     * The reduction over the subtree, in the order of ranks.
     *
     * @param own  the contribution
     * @param room where it is to be, unless there are no children; null for anywhere
     */
    Value sum(final BufferRange own, final BufferRange room) {
        final Deque<Value> waiting = new ArrayDeque<>();
        waiting.push(new Value(own, 1, null, Dependencies.NONE));
        for (int i = 0; i < tree.children(); i++) {
            final boolean isLast = i == tree.children() - 1;
            Value value = isLast && room != null ? received(i, room, null, Dependencies.NONE) : received(i, own.bytes());
            while (!waiting.isEmpty() && (isLast || brackets.joins(waiting.peek().ranks, value.ranks))) {
                value = join(waiting.pop(), value);
            }
            waiting.push(value);
        }
        return waiting.pop();
    }

    /** What child {@code i} sends, in a slot. */
    private Value received(final int i, final long bytes) {
        final ScratchPool.Slot slot = slots.take();
        return received(i, slot.place().slice(0, bytes), slot, slot.free());
    }

    private Value received(final int i, final BufferRange place, final ScratchPool.Slot slot, final int... free) {
        return new Value(place, tree.node().endOf(i) - tree.node().children()[i], slot, plan.recv(place, tree.child(i), free));
    }

    private Value join(final Value lower, final Value higher) {
        final int[] after = lower.after.length == 0 ? higher.after : Dependencies.of(lower.after[0], higher.after[0]);
        final int done = plan.reduce(reduction, lower.place, higher.place, after);
        used(lower, done);
        return new Value(higher.place, lower.ranks + higher.ranks, higher.slot, done);
    }

    /**
     * At the root: brings the reduction over all ranks to where it is wanted.
     *
     * @param own     the contribution
     * @param out     where the result goes; if the contribution lies there, operands may be swapped to save a copy
     * @param ordered whether that is not so
     * @return what must be done before it is there
     */
    int[] finish(final BufferRange own, final BufferRange out, final boolean ordered) {
        if (!own.equals(out)) {
            return tree.children() > 0 ? sum(own, out).after : Dependencies.of(plan.copy(own, out));
        }
        if (!ordered) {
            return takeIn(own);
        }
        final Value sum = sum(own, null);
        return tree.children() > 0 ? Dependencies.of(used(sum, plan.copy(sum.place, out, sum.after))) : Dependencies.NONE;
    }

    private int[] takeIn(final BufferRange own) {
        int[] last = Dependencies.NONE;
        for (int i = 0; i < tree.children(); i++) {
            final Value value = received(i, own.bytes());
            final int[] after = last.length == 0 ? value.after : Dependencies.of(last[0], value.after[0]);
            last = Dependencies.of(used(value, plan.reduce(reduction, value.place, own, after)));
        }
        return last;
    }

    /** Sends a value that is not needed any more then. */
    int send(final Value value, final int peer) {
        return used(value, plan.send(value.place, peer, value.after));
    }

    /** Notes who uses a value last. */
    private int used(final Value value, final int task) {
        if (value.slot != null) {
            slots.giveBack(value.slot, task);
        }
        return task;
    }
}
