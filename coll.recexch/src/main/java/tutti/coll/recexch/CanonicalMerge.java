package tutti.coll.recexch;

import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.patterns.CanonicalBrackets;
import tutti.coll.patterns.DependencyTracker;
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
    private final DependencyTracker tracker;
    private final ScratchPool pool;
    private final Reduction reduction;
    private final boolean maySwap;

    /** @param swaps whether two operands may be swapped to save a copy */
    CanonicalMerge(final DependencyTracker tracker, final ScratchPool pool, final Reduction reduction, final boolean swaps) {
        this.tracker = tracker;
        this.pool = pool;
        this.reduction = reduction;
        this.maySwap = swaps;
    }

    /** Returns the index of the value, out of {@code count}, whose memory holds the result. */
    static int result(final int count, final int own, final boolean readOnly, final boolean swaps) {
        if (swaps && !readOnly) {
            return own;
        }
        return swaps && own == count - 1 ? count - 2 : count - 1;
    }

    /**
     * Receives the values of the other ranks and combines all.
     *
     * @param value  value of this rank; overwritten unless it is in SEND; released if it is scratch memory that does not hold the result
     * @param ranks  ranks of the group, this one included, in the order of the contributions
     * @param own    index of this rank in the group
     * @param target preferred memory for the result, in a buffer that is free unless {@code value} is in it; null for any
     * @return where the result is
     */
    BufferRange merge(final BufferRange value, final int[] ranks, final int own, final @Nullable BufferRange target) {
        final int count = ranks.length;
        final boolean readOnly = value.buffer() == Buffer.SEND;
        final int result = result(count, own, readOnly, maySwap);
        final BufferRange[] values = new BufferRange[count];
        for (int i = 0; i < count; i++) {
            final boolean moves = i != own || readOnly && !maySwap && isRight(count, own);
            values[i] = !moves ? value : i == result && target != null && target.buffer() != value.buffer() ? target
                : pool.take(value.bytes()).memory();
        }
        if (!values[own].equals(value)) {
            tracker.copy(value, values[own]);
        }
        for (int i = 1; i < count; i++) {
            final int from = (own - i + count) % count;
            tracker.recv(values[from], ranks[from]);
        }
        final BufferRange sum = values[combine(values, 0, count, own, values[own].buffer() == Buffer.SEND)];
        for (final BufferRange v : values) {
            if (!v.equals(sum)) {
                pool.release(v);
            }
        }
        return sum;
    }

    /** Returns whether one of {@code count} values is a right operand, that is combined with the values before it. */
    private static boolean isRight(final int count, final int own) {
        return own % 2 == 1 || own > 0 && own == count - 1;
    }

    private int combine(final BufferRange[] values, final int first, final int count, final int own, final boolean readOnly) {
        if (count == 1) {
            return first;
        }
        final int low = combine(values, first, CanonicalBrackets.lower(count), own, readOnly);
        final int high = combine(values, first + CanonicalBrackets.lower(count), count - CanonicalBrackets.lower(count), own, readOnly);
        final boolean swapped = maySwap && (readOnly ? high == own : low == own);
        final int from = swapped ? high : low;
        final int into = swapped ? low : high;
        tracker.reduce(reduction, values[from], values[into]);
        return into;
    }
}
