package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CanonicalBrackets;
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

    private final AdvancedPlan plan;
    private final Reduction reduction;
    private final Segments segments;
    private final BufferRange temps;
    private final long tempBytes;

    /**
     * Reserves the scratch memory.
     *
     * @param plan      the plan
     * @param reduction the reduction
     * @param values    the largest number of operands
     * @param bytes     the largest length of the result in bytes
     * @param segment   bytes that are combined at a time
     */
    CanonicalReduction(final AdvancedPlan plan, final Reduction reduction, final int values, final long bytes, final long segment) {
        this.plan = plan;
        this.reduction = reduction;
        this.segments = Segments.of(segment, bytes, reduction.elementBytes(), MAX_SEGMENTS);
        this.tempBytes = segments.longest(bytes);
        this.temps = plan.scratch(temps(values) * tempBytes);
    }

    /** An operand, or a segment of it, in the memory of a rank. A peer's may be read once that rank has made its first post. */
    private record Operand(int rank, BufferRange range, Task... posted) {
        Operand slice(final long from, final long bytes) {
            return new Operand(rank, range.slice(from, bytes), posted);
        }
    }

    /** Returns the number of segments of scratch memory for combining {@code values} operands: ⌈log2 values⌉ - 1, but at least 0. */
    static int temps(final int values) {
        return values < 3 ? 0 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(values - 1);
    }

    /** Plans the reduction of the operands of all ranks: {@link #plan(List, IntFunction, BufferRange)}. */
    static Task[] ofAll(final AdvancedPlan plan, final Reduction reduction, final long segment, final IntFunction<BufferRange> operands,
        final BufferRange into) {
        return new CanonicalReduction(plan, reduction, plan.size(), into.bytes(), segment)
            .plan(IntStream.range(0, plan.size()).boxed().toList(), operands, into);
    }

    /** Plans a rank's part of a reduction to the top of a tree: {@link #plan(FanInTree, int, BufferRange, IntFunction)}. */
    static Task[] alongTree(final AdvancedPlan plan, final Reduction reduction, final long segment, final FanInTree tree, final BufferRange input,
        final IntFunction<BufferRange> values) {
        final int level = tree.level(plan.rank());
        return new CanonicalReduction(plan, reduction, level > 0 ? tree.most() : 1, input.bytes(), segment).plan(tree, level, input, values);
    }

    /**
     * Plans the planning rank's part of a reduction along a tree: combines the values of its subtree, level by level.
     *
     * @param levels number of levels on which this rank combines
     * @param input  this rank's contribution
     * @param values where each rank has its value for its parent, and this rank its result
     * @return the tasks after which the value of this rank is complete
     */
    Task[] plan(final FanInTree tree, final int levels, final BufferRange input, final IntFunction<BufferRange> values) {
        final int rank = plan.rank();
        final BufferRange into = values.apply(rank);
        Task[] done = {};
        BufferRange own = input;
        for (int level = 1; level <= levels; level++) {
            final List<Integer> ranks = tree.values(rank, level);
            if (ranks.size() > 1) {
                final BufferRange highest = own;
                done = plan(ranks, r -> r == rank ? highest : values.apply(r), into);
                own = into;
            }
        }
        return own.equals(into) ? done : new Task[] {plan.copy(own, into)};
    }

    /**
     * Plans the reduction of the operands of some ranks. That of a peer is available after the peer's first post.
     *
     * @param ranks    two ranks or more in ascending order
     * @param operands where each rank has its operand; only that of the last rank may be at {@code into}
     * @param into     range of the result
     * @return the tasks after which the result is at {@code into} and the operands have been read, one per segment
     */
    Task[] plan(final List<Integer> ranks, final IntFunction<BufferRange> operands, final BufferRange into) {
        final List<Operand> values = new ArrayList<>();
        for (final int r : ranks) {
            values.add(r == plan.rank() ? new Operand(r, operands.apply(r)) : new Operand(r, operands.apply(r), plan.await(r, 0)));
        }
        final Task[] done = new Task[segments.count(into.bytes())];
        for (int i = 0; i < done.length; i++) {
            final BufferRange part = segments.of(into, i);
            final long from = part.offset() - into.offset();
            done[i] = combine(values.stream().map(v -> v.slice(from, part.bytes())).toList(), part, 0);
            // all but the last one or two pass through scratch memory, where a segment follows the one before, and so the post
            values.subList(0, values.size() - 2 + values.size() % 2).replaceAll(v -> new Operand(v.rank(), v.range()));
        }
        return done;
    }

    /** Plans one segment. Returns the last task, which follows all others. */
    private Task combine(final List<Operand> values, final BufferRange into, final int depth) {
        final int lower = CanonicalBrackets.lower(values.size());
        place(values.subList(lower, values.size()), into, depth);
        if (lower == 1) {
            final Operand first = values.getFirst();
            return first.rank() == plan.rank() ? plan.reduce(reduction, first.range(), into)
                : plan.reduce(reduction, first.rank(), first.range(), into, first.posted());
        }
        final BufferRange temp = temps.slice(depth * tempBytes, into.bytes());
        place(values.subList(0, lower), temp, depth + 1);
        return plan.reduce(reduction, temp, into);
    }

    /** Plans the reduction of one or more operands into a range. */
    private void place(final List<Operand> values, final BufferRange into, final int depth) {
        final Operand first = values.getFirst();
        if (values.size() > 1) {
            combine(values, into, depth);
        } else if (first.rank() != plan.rank()) {
            plan.get(first.rank(), first.range(), into, first.posted());
        } else if (!first.range().equals(into)) {
            plan.copy(first.range(), into);
        }
    }
}
