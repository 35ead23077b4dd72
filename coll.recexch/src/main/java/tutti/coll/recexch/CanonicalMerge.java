package tutti.coll.recexch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.CanonicalBrackets;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.ScratchPool;

/**
 * Combines a rank's value with those of the other ranks of its group in a round. The brackets are those of
 * {@link tutti.coll.ReductionOrder#CANONICAL} over the group, in rank order.
 *
 * <p>A reduce task writes its result to its right operand, so the result is finally located where the last value was. The rank's own value is not
 * copied where it is only read. It is copied first where it is a right operand that must not be overwritten. Where operands may be swapped, the
 * other operand is used as the right one: nothing is copied, and a value that may be overwritten holds the result. For one plan.
 */
final class CanonicalMerge {
    private final int rank;
    private final DataTasks tasks;
    private final ScratchPool pool;
    private final Reduction reduction;
    private final boolean maySwap;

    /** @param swaps whether two operands may be swapped to save a copy */
    CanonicalMerge(final Plan plan, final Reduction reduction, final boolean swaps) {
        this.rank = plan.rank();
        this.tasks = new DataTasks(plan);
        this.pool = new ScratchPool(plan, 0);
        this.reduction = reduction;
        this.maySwap = swaps;
    }

    /**
     * Receives the values of the other ranks and combines all.
     *
     * @param value  value of this rank; overwritten unless it is in SEND; released if it is scratch memory that does not hold the result
     * @param target preferred memory for the result, in a buffer that is free unless {@code value} is in it; null for any
     * @param ranks  ranks of the group, this one included, in the order of the contributions
     * @return where the result is
     */
    BufferRange merge(final BufferRange value, final @Nullable BufferRange target, final int... ranks) {
        final List<BufferRange> values = new ArrayList<>();
        final BufferRange sum = combine(value, target != null && target.buffer() != value.buffer() ? target : null, values, ranks);
        values.remove(sum);
        values.forEach(pool::release);
        return sum;
    }

    /** @param values accepts the operands; their memory is released at the end, so that no receive of this round waits for it */
    private BufferRange combine(final BufferRange value, final @Nullable BufferRange target, final List<BufferRange> values, final int... ranks) {
        if (ranks.length == 1 && ranks[0] == rank) {
            values.add(value);
            return value;
        }
        if (ranks.length == 1) {
            final BufferRange received = memory(value.bytes(), target, values);
            tasks.recv(received, ranks[0]);
            return received;
        }
        final int[] lower = Arrays.copyOf(ranks, CanonicalBrackets.lower(ranks.length));
        final int[] higher = Arrays.copyOfRange(ranks, lower.length, ranks.length);
        final boolean swapped = maySwap && (value.buffer() == Buffer.SEND ? higher.length == 1 && higher[0] == rank : rank < higher[0]);
        final BufferRange low = combine(value, swapped ? target : null, values, lower);
        final BufferRange high = combine(value, swapped ? null : target, values, higher);
        final BufferRange from = swapped ? high : low;
        BufferRange into = swapped ? low : high;
        if (into.buffer() == Buffer.SEND) {
            into = memory(value.bytes(), target, values);
            tasks.copy(value, into);
        }
        tasks.reduce(reduction, from, into);
        return into;
    }

    private BufferRange memory(final long bytes, final @Nullable BufferRange target, final List<BufferRange> values) {
        final BufferRange memory = target != null ? target : pool.take(bytes);
        values.add(memory);
        return memory;
    }
}
