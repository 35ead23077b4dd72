package tutti.coll.recexch;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Combines a rank's value with those of the ranks that it meets: with the brackets of {@link tutti.coll.ReductionOrder#CANONICAL} over those that
 * meet, in their order.
 *
 * <p>A reduce task leaves its result where the right operand was, so the result lies in the end where the last value was. The rank's own value
 * is left alone where it is only read, and copied first where it is a right operand and may not be overwritten. Where operands may be swapped
 * the other one takes its place, so nothing is copied, and a value that may be overwritten takes the result. For one plan.
 */
final class CanonicalMerge {
    private final DependencyTracker flow;
    private final ScratchPool rooms;
    private final Reduction reduction;
    private final boolean swaps;

    /** @param swaps whether two operands may be swapped to save a copy */
    CanonicalMerge(final DependencyTracker flow, final ScratchPool rooms, final Reduction reduction, final boolean swaps) {
        this.flow = flow;
        this.rooms = rooms;
        this.reduction = reduction;
        this.swaps = swaps;
    }

    /** How many of {@code count} are combined with each other before they are combined with the others: the largest power of two below. */
    static int left(final int count) {
        return Integer.highestOneBit(count - 1);
    }

    /** Where the result will lie: as which of {@code count} values. */
    static int result(final int count, final int own, final boolean readOnly, final boolean swaps) {
        if (swaps && !readOnly) {
            return own;
        }
        return swaps && own == count - 1 ? count - 2 : count - 1;
    }

    /**
     * Receives the values of the others and combines all.
     *
     * @param value of this rank; overwritten unless it lies in SEND; given back where it is scratch memory that does not hold the result
     * @param ranks those that meet, this one included, in the order of what they stand for
     * @param own   which of them is this one
     * @param home  where the result would be wanted, in a buffer that is free if {@code value} does not lie in it; null for anywhere
     * @return where the result lies
     */
    BufferRange merge(final BufferRange value, final int[] ranks, final int own, final BufferRange home) {
        final int count = ranks.length;
        final boolean readOnly = value.buffer() == Buffer.SEND;
        final int result = result(count, own, readOnly, swaps);
        final BufferRange[] values = new BufferRange[count];
        for (int i = 0; i < count; i++) {
            final boolean moves = i != own || readOnly && !swaps && isRight(count, own);
            final boolean goesHome = i == result && home != null && home.buffer() != value.buffer();
            values[i] = !moves ? value : goesHome ? home : rooms.take(value.bytes());
        }
        if (!values[own].equals(value)) {
            flow.copy(value, values[own]);
        }
        for (int i = 1; i < count; i++) {
            final int from = (own - i + count) % count;
            flow.recv(values[from], ranks[from]);
        }
        final BufferRange sum = values[combine(values, 0, count, own, values[own].buffer() == Buffer.SEND)];
        for (final BufferRange v : values) {
            if (!v.equals(sum)) {
                rooms.give(v);
            }
        }
        return sum;
    }

    /** Whether one of {@code count} values is a right operand: it is combined with those before it. */
    private static boolean isRight(final int count, final int own) {
        return own % 2 == 1 || own > 0 && own == count - 1;
    }

    private int combine(final BufferRange[] values, final int first, final int count, final int own, final boolean readOnly) {
        if (count == 1) {
            return first;
        }
        final int low = combine(values, first, left(count), own, readOnly);
        final int high = combine(values, first + left(count), count - left(count), own, readOnly);
        final boolean swapped = swaps && (readOnly ? high == own : low == own);
        final int from = swapped ? high : low;
        final int into = swapped ? low : high;
        flow.reduce(reduction, values[from], values[into]);
        return into;
    }
}
