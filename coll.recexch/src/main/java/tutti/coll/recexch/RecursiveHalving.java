package tutti.coll.recexch;

import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.patterns.DependencyTracker;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Reduction by recursive halving for one participating rank. In each step it sends the parts that it does not keep, and combines its own part with
 * those of the other ranks of its group, until it has the result of one segment.
 *
 * <p>Each step receives into memory of its own, so a step waits for its data alone. The memory of all steps is less than the data. Data is
 * copied at most once before it is combined, and only where operands may not be swapped. For one plan.
 */
final class RecursiveHalving {
    private final DependencyTracker tracker;
    private final HalvingRanges ranges;
    private final RecursiveExchange exchange;
    private final SegmentLayout layout;
    private final CanonicalMerge merge;
    private final int vrank;
    private final BufferRange[] held;

    /** @param contribution contribution of this rank */
    RecursiveHalving(final DependencyTracker tracker, final HalvingRanges ranges, final SegmentLayout layout, final Reduction reduction,
        final int rank, final BufferRange contribution) {
        this.tracker = tracker;
        this.ranges = ranges;
        this.exchange = ranges.exchange();
        this.layout = layout;
        this.merge = new CanonicalMerge(tracker, tracker.pool(), reduction, reduction.isCommutative());
        this.vrank = exchange.vrankOf(rank);
        this.held = new BufferRange[ranges.steps() + 1];
        this.held[0] = contribution;
    }

    /**
     * Plans the reduction.
     *
     * @param target preferred memory for the results of all steps; null for any
     * @param last   preferred memory for the result of the last step instead; null for any
     * @return where the segment's result is
     */
    BufferRange plan(final @Nullable BufferRange target, final @Nullable BufferRange last) {
        if (exchange.isPaired(exchange.rankAt(vrank))) {
            final int rank = exchange.rankAt(vrank);
            final int other = exchange.pairPartner(rank);
            held[0] = merge.merge(held[0], new int[] {Math.min(rank, other), Math.max(rank, other)}, rank > other ? 1 : 0, target);
        }
        for (int step = 0; step < ranges.steps(); step++) {
            final int own = ranges.digit(vrank, step);
            final int[] group = ranges.group(vrank, step);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                tracker.send(layout.kept(held[step], to, step), exchange.rankAt(to));
            }
            final BufferRange kept = layout.kept(held[step], vrank, step);
            final BufferRange wanted = target != null ? layout.held(target, vrank, step + 1) : step + 1 == ranges.steps() ? last : null;
            held[step + 1] = kept.bytes() == 0 ? kept : merge.merge(kept, exchange.ranksAt(group), own, wanted);
        }
        return held[ranges.steps()];
    }

    /** Copies the segment's result to its place in {@code target}, unless it is there. */
    void copyTo(final BufferRange target) {
        final BufferRange segment = layout.held(target, vrank, ranges.steps());
        if (!segment.equals(held[ranges.steps()])) {
            tracker.copy(held[ranges.steps()], segment);
        }
    }

    /** Returns the range that this rank held before a step. */
    BufferRange heldBefore(final int step) {
        return held[step];
    }
}
