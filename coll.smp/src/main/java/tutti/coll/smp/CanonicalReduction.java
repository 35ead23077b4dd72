package tutti.coll.smp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.CanonicalBrackets;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.Segments;

/**
 * Combines operands in the memories of the ranks of one node, with the brackets of {@link tutti.coll.ReductionOrder#CANONICAL}.
 *
 * <p>The higher part of a bracket is combined first, at the target, because a reduce task leaves its result in the place of the higher operand. A
 * lower part of one operand is combined directly from its memory. A longer lower part is first combined in scratch memory. Long data is cut into
 * segments, so that the scratch memory is short and stays in the caches.
 * <pre>
 *   7 values     ((0 1) (2 3)) ((4 5) 6)
 *                into: get 6;  a: get 5, reduce 4;  into: reduce a;  a: get 3, reduce 2;  b: get 1, reduce 0;  a: reduce b;  into: reduce a
 * </pre>
 *
 * <p>For one plan.
 */
final class CanonicalReduction {
    /** The largest number of segments of one reduction. */
    static final int MAX_SEGMENTS = 64;

    private final Plan plan;
    private final Reduction reduction;
    private final Segments segments;
    private final BufferRange[] temps;
    private final int[] users;

    /**
     * Reserves the scratch memory.
     *
     * @param plan      the plan
     * @param reduction the reduction
     * @param values    the largest number of operands
     * @param bytes     the largest length of the result in bytes
     * @param segment   bytes that are combined at a time
     */
    CanonicalReduction(final Plan plan, final Reduction reduction, final int values, final long bytes, final long segment) {
        this.plan = plan;
        this.reduction = reduction;
        this.segments = Segments.of(segment, bytes, reduction.elementBytes(), MAX_SEGMENTS);
        this.temps = new BufferRange[temps(values)];
        final long length = segments.longest(bytes);
        final BufferRange all = temps.length == 0 ? Buffer.SCRATCH.at(0, 0) : plan.scratch(temps.length * length);
        Arrays.setAll(temps, i -> all.slice(i * length, length));
        this.users = new int[temps.length];
        Arrays.fill(users, ReductionOperand.NO_TASK);
    }

    /** Returns the number of segments of scratch memory for combining {@code values} operands: ⌈log2 values⌉ - 1, but at least 0. */
    static int temps(final int values) {
        return values < 3 ? 0 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(values - 1);
    }

    /**
     * Plans the reduction of some operands.
     *
     * @param values the operands in rank order; only the last may be at {@code into}
     * @param into   range of the result
     * @param free   the tasks after which {@code into} may be written: one per segment, or one for all; none if it may be written at once
     * @return the tasks after which the result is at {@code into} and the operands have been read: one per segment; none if there is nothing to do
     */
    int[] plan(final List<ReductionOperand> values, final BufferRange into, final int... free) {
        final Dependencies done = new Dependencies();
        for (int i = 0; i < segments.count(into.bytes()); i++) {
            final long from = i * segments.length();
            final long length = segments.bytes(into.bytes(), i);
            final List<ReductionOperand> parts = new ArrayList<>(values.size());
            for (final ReductionOperand v : values) {
                parts.add(v.segment(i, from, length));
            }
            final int last = plan(parts, into.slice(from, length), 0,
                free.length == 0 ? ReductionOperand.NO_TASK : free[Math.min(i, free.length - 1)]);
            if (last != ReductionOperand.NO_TASK) {
                done.add(last);
            }
        }
        return done.all();
    }

    /** Plans one segment. Returns the last task, which follows all others. */
    private int plan(final List<ReductionOperand> values, final BufferRange into, final int depth, final int free) {
        final ReductionOperand first = values.getFirst();
        if (values.size() == 1) {
            if (first.peer() != ReductionOperand.OWN) {
                return plan.get(first.peer(), first.span(), into, first.and(free));
            }
            return first.span().equals(into) ? first.first() : plan.copy(first.span(), into, first.and(free));
        }
        final int lower = CanonicalBrackets.lower(values.size());
        final int higher = plan(values.subList(lower, values.size()), into, depth, free);
        if (lower == 1) {
            return first.peer() == ReductionOperand.OWN ? plan.reduce(reduction, first.span(), into, first.and(higher))
                : plan.reduce(reduction, first.peer(), first.span(), into, first.and(higher));
        }
        final BufferRange temp = temps[depth].slice(0, into.bytes());
        final int sum = plan(values.subList(0, lower), temp, depth + 1, users[depth]);
        users[depth] = plan.reduce(reduction, temp, into, higher == ReductionOperand.NO_TASK ? Dependencies.of(sum) : Dependencies.of(higher, sum));
        return users[depth];
    }
}
