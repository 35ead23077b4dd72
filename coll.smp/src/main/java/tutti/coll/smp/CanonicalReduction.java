package tutti.coll.smp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Combines values that lie in the memories of ranks of one node, with the brackets of {@link tutti.coll.ReductionOrder#CANONICAL}.
 *
 * <p>The higher part of a bracket is combined first, where the sum is wanted, since a reduce task leaves its result where the higher operand
 * was. A lower part that is one value is folded in straight from where it lies; a longer one is combined in scratch memory first. Long data is
 * cut into segments, so that scratch memory is short and stays in caches.
 * <pre>
 *   7 values     ((0 1) (2 3)) ((4 5) 6)
 *                place: get 6;  a: get 5, fold 4;  place: fold a;  a: get 3, fold 2;  b: get 1, fold 0;  a: fold b;  place: fold a
 * </pre>
 *
 * <p>For one plan.
 */
final class CanonicalReduction {
    /** Most segments of one sum. */
    static final int MOST_SEGMENTS = 64;

    private final Plan plan;
    private final Reduction reduction;
    private final long segment;
    private final BufferRange[] temps;
    private final int[] users;

    /**
     * Reserves its scratch memory.
     *
     * @param values  most values of a sum
     * @param bytes   most bytes of a sum
     * @param segment bytes that are combined at a time
     */
    CanonicalReduction(final Plan plan, final Reduction reduction, final int values, final long bytes, final long segment) {
        this.plan = plan;
        this.reduction = reduction;
        final long element = reduction.elementBytes();
        final long elements = Math.max(Math.max(1, segment / element), Math.ceilDiv(bytes / element, MOST_SEGMENTS));
        this.segment = element * elements;
        this.temps = new BufferRange[temps(values)];
        final long length = Math.min(this.segment, bytes);
        final BufferRange all = temps.length == 0 ? Buffer.SCRATCH.at(0, 0) : plan.scratch(temps.length * length);
        Arrays.setAll(temps, i -> all.slice(i * length, length));
        this.users = new int[temps.length];
        Arrays.fill(users, ReductionOperand.AT_ONCE);
    }

    /** How many segments of scratch memory it takes to combine so many values. */
    static int temps(final int values) {
        return values < 3 ? 0 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(values - 1);
    }

    /** How many of so many values make the lower part. */
    static int lower(final int values) {
        return Integer.highestOneBit(values - 1);
    }

    /**
     * Plans a sum.
     *
     * @param values in the order of ranks; the last may lie at {@code into}, and no other
     * @param into   where it is wanted
     * @param free   the tasks after which that may be written, one for each segment or one for all; none where it may be at once
     * @return the tasks after which it lies there and the values have been read, one for each segment; none where nothing is to be done
     */
    int[] plan(final List<ReductionOperand> values, final BufferRange into, final int... free) {
        final Dependencies done = new Dependencies();
        int i = 0;
        for (long from = 0; from < into.bytes(); from += segment) {
            final long length = Math.min(segment, into.bytes() - from);
            final List<ReductionOperand> parts = new ArrayList<>(values.size());
            for (final ReductionOperand v : values) {
                parts.add(v.segment(i, from, length));
            }
            final int last = plan(parts, into.slice(from, length), 0,
                free.length == 0 ? ReductionOperand.AT_ONCE : free[Math.min(i, free.length - 1)]);
            if (last != ReductionOperand.AT_ONCE) {
                done.add(last);
            }
            i++;
        }
        return done.all();
    }

    /** Returns the last task, after which all others have been. */
    private int plan(final List<ReductionOperand> values, final BufferRange into, final int depth, final int free) {
        final ReductionOperand first = values.getFirst();
        if (values.size() == 1) {
            if (first.peer() != ReductionOperand.OWN) {
                return plan.get(first.peer(), first.span(), into, first.and(free));
            }
            return first.span().equals(into) ? first.first() : plan.copy(first.span(), into, first.and(free));
        }
        final int lower = lower(values.size());
        final int higher = plan(values.subList(lower, values.size()), into, depth, free);
        if (lower == 1) {
            return first.peer() == ReductionOperand.OWN ? plan.reduce(reduction, first.span(), into, first.and(higher))
                : plan.reduce(reduction, first.peer(), first.span(), into, first.and(higher));
        }
        final BufferRange temp = temps[depth].slice(0, into.bytes());
        final int sum = plan(values.subList(0, lower), temp, depth + 1, users[depth]);
        users[depth] = plan.reduce(reduction, temp, into, higher == ReductionOperand.AT_ONCE ? Dependencies.of(sum) : Dependencies.of(higher, sum));
        return users[depth];
    }
}
