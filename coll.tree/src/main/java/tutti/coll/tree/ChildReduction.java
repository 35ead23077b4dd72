package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
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
    private final boolean balanced;
    private final ScratchPool pool;
    private final long slotBytes;

    /**
     * @param balanced whether values of equally many ranks are combined with each other, and the rest at the end, instead of each as it arrives; in
     *                 k-nomial trees with k = 2^j the brackets are then those of {@link tutti.coll.ReductionOrder#CANONICAL}
     * @param bytes    length of the longest segment
     */
    ChildReduction(final Plan plan, final RootedTree tree, final Reduction reduction, final boolean balanced, final long bytes) {
        this.plan = plan;
        this.tree = tree;
        this.reduction = reduction;
        this.balanced = balanced;
        this.pool = new ScratchPool(plan, SPARE_SLOTS);
        this.slotBytes = bytes;
    }

    /** Reduction over a number of consecutive ranks, and the memory that holds it. */
    private record Value(BufferRange memory, int ranks) {}

    /**
     * Plans the reduction over the subtree, in the order of ranks.
     *
     * @param own    the contribution
     * @param target memory for the result, unless there are no children; null for any
     * @return where the result is
     */
    BufferRange sum(final BufferRange own, final @Nullable BufferRange target) {
        final Deque<Value> waiting = new ArrayDeque<>();
        waiting.push(new Value(own, 1));
        for (int i = 0; i < tree.children(); i++) {
            final boolean isLast = i == tree.children() - 1;
            final BufferRange sum = isLast && target != null ? target : slot(own.bytes());
            plan.recv(sum, tree.child(i));
            int ranks = tree.members(i);
            while (!waiting.isEmpty() && (isLast || !balanced || waiting.peek().ranks == ranks)) {
                final Value lower = waiting.pop();
                plan.reduce(reduction, lower.memory, sum);
                release(lower.memory);
                ranks += lower.ranks;
            }
            waiting.push(new Value(sum, ranks));
        }
        return waiting.pop().memory;
    }

    /**
     * Plans the reduction over all ranks, as the root.
     *
     * @param own     the contribution
     * @param out     memory for the result; if it holds the contribution, operands may be swapped to save a copy
     * @param ordered whether operands must not be swapped
     */
    void finish(final BufferRange own, final BufferRange out, final boolean ordered) {
        if (own.equals(out) && !ordered) {
            for (int i = 0; i < tree.children(); i++) {
                final BufferRange value = slot(own.bytes());
                plan.recv(value, tree.child(i));
                plan.reduce(reduction, value, out);
                release(value);
            }
            return;
        }
        final BufferRange sum = sum(own, own.equals(out) ? null : out);
        if (!sum.equals(out)) {
            plan.copy(sum, out);
            release(sum);
        }
    }

    /** Sends the reduction over the subtree, which is not needed after that. */
    void send(final BufferRange sum, final int peer) {
        plan.send(sum, peer);
        release(sum);
    }

    private BufferRange slot(final long bytes) {
        return pool.take(slotBytes).slice(0, bytes);
    }

    /** Releases the slot that a value is in, if it is in one. */
    private void release(final BufferRange value) {
        pool.release(value.buffer().at(value.offset(), slotBytes));
    }
}
