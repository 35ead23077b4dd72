package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.ScratchPool;

/**
 * Combines a rank's contribution with the values that its children send, one segment after the other.
 *
 * <p>A reduce task writes its result to the right operand. So the contribution, which is the leftmost operand, is only read, and the sum
 * is finally located where the last child's value was received. For one plan.
 */
final class ChildReduction {
    /** Number of released slots that stay unused: values are received while others wait to be sent. */
    private static final int SPARE_SLOTS = 2;

    private final Plan plan;
    private final RootedTree tree;
    private final Reduction reduction;
    private final Bracketing bracketing;
    private final ScratchPool pool;
    private final long slotBytes;

    /** @param bytes length of the longest segment */
    ChildReduction(final Plan plan, final RootedTree tree, final Reduction reduction, final Bracketing brackets, final long bytes) {
        this.plan = plan;
        this.tree = tree;
        this.reduction = reduction;
        this.bracketing = brackets;
        this.pool = new ScratchPool(plan, SPARE_SLOTS);
        this.slotBytes = bytes;
    }

    /**
     * Reduction over consecutive ranks.
     *
     * @param memory memory that holds it
     * @param ranks number of ranks
     * @param slot  slot that holds it; null if none
     * @param after tasks that compute it
     */
    record Value(BufferRange memory, int ranks, ScratchPool.@Nullable Slot slot, int... after) {}

    /**
     * Plans the reduction over the subtree, in the order of ranks.
     *
     * @param own    the contribution
     * @param target memory for the result, unless there are no children; null for any
     */
    Value sum(final BufferRange own, final @Nullable BufferRange target) {
        final Deque<Value> waiting = new ArrayDeque<>();
        waiting.push(new Value(own, 1, null, Dependencies.NONE));
        for (int i = 0; i < tree.children(); i++) {
            final boolean isLast = i == tree.children() - 1;
            Value value = isLast && target != null ? receive(i, target, null, Dependencies.NONE) : receive(i, own.bytes());
            while (!waiting.isEmpty() && (isLast || bracketing.joins(waiting.peek().ranks, value.ranks))) {
                value = join(waiting.pop(), value);
            }
            waiting.push(value);
        }
        return waiting.pop();
    }

    /** Receives the value of child {@code i} in a slot. */
    private Value receive(final int i, final long bytes) {
        final ScratchPool.Slot slot = pool.take(slotBytes);
        return receive(i, slot.memory().slice(0, bytes), slot, slot.after());
    }

    private Value receive(final int i, final BufferRange memory, final ScratchPool.@Nullable Slot slot, final int... free) {
        return new Value(memory, tree.node().endOf(i) - tree.node().children()[i], slot, plan.recv(memory, tree.child(i), free));
    }

    private Value join(final Value lower, final Value higher) {
        final int[] after = lower.after.length == 0 ? higher.after : Dependencies.of(lower.after[0], higher.after[0]);
        final int done = plan.reduce(reduction, lower.memory, higher.memory, after);
        used(lower, done);
        return new Value(higher.memory, lower.ranks + higher.ranks, higher.slot, done);
    }

    /**
     * Moves the reduction over all ranks to where it is wanted, as the root.
     *
     * @param own     the contribution
     * @param out     memory for the result; if it holds the contribution, operands may be swapped to save a copy
     * @param ordered whether operands must not be swapped
     * @return the tasks that must complete before the result is there
     */
    int[] finish(final BufferRange own, final BufferRange out, final boolean ordered) {
        if (!own.equals(out)) {
            return tree.children() > 0 ? sum(own, out).after : Dependencies.of(plan.copy(own, out));
        }
        if (!ordered) {
            return combineInPlace(own);
        }
        final Value sum = sum(own, null);
        return tree.children() > 0 ? Dependencies.of(used(sum, plan.copy(sum.memory, out, sum.after))) : Dependencies.NONE;
    }

    private int[] combineInPlace(final BufferRange own) {
        int[] last = Dependencies.NONE;
        for (int i = 0; i < tree.children(); i++) {
            final Value value = receive(i, own.bytes());
            final int[] after = last.length == 0 ? value.after : Dependencies.of(last[0], value.after[0]);
            last = Dependencies.of(used(value, plan.reduce(reduction, value.memory, own, after)));
        }
        return last;
    }

    /** Sends a value that is not needed after that. */
    int send(final Value value, final int peer) {
        return used(value, plan.send(value.memory, peer, value.after));
    }

    /** Records the last task that uses a value. */
    private int used(final Value value, final int task) {
        if (value.slot != null) {
            pool.release(value.slot.memory(), task);
        }
        return task;
    }
}
