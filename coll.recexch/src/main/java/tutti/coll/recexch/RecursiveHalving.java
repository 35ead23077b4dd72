package tutti.coll.recexch;

import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Reduction by recursive halving for one participating rank. In each step it sends the parts that it does not keep, and combines its own part with
 * those of the other ranks of its group, until it has the result of one segment.
 *
 * <p>Each step receives into memory of its own, so a step waits for its data alone. The memory of all steps is less than the data. Data is
 * copied at most once before it is combined, and only where operands may not be swapped. For one plan.
 */
final class RecursiveHalving {
    private final DependencyTracker flow;
    private final HalvingRanges halves;
    private final RecursiveExchange exchange;
    private final SegmentLayout parts;
    private final CanonicalMerge merge;
    private final int place;
    private final BufferRange[] held;

    /** @param contribution contribution of this rank */
    RecursiveHalving(final DependencyTracker tracker, final HalvingRanges ranges, final SegmentLayout layout, final Reduction reduction,
        final int rank, final BufferRange contribution) {
        this.flow = tracker;
        this.halves = ranges;
        this.exchange = ranges.exchange();
        this.parts = layout;
        this.merge = new CanonicalMerge(tracker, new ScratchPool(tracker), reduction, reduction.isCommutative());
        this.place = exchange.placeOf(rank);
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
    BufferRange plan(final BufferRange target, final BufferRange last) {
        if (exchange.isPaired(exchange.rankAt(place))) {
            final int rank = exchange.rankAt(place);
            final int other = exchange.other(rank);
            held[0] = merge.merge(held[0], new int[] {Math.min(rank, other), Math.max(rank, other)}, rank > other ? 1 : 0, target);
        }
        for (int step = 0; step < halves.steps(); step++) {
            final int own = halves.digit(place, step);
            final int[] group = halves.met(place, step);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                flow.send(parts.kept(held[step], to, step), exchange.rankAt(to));
            }
            final BufferRange kept = parts.kept(held[step], place, step);
            final BufferRange wanted = target != null ? parts.held(target, place, step + 1) : step + 1 == halves.steps() ? last : null;
            held[step + 1] = kept.bytes() == 0 ? kept : merge.merge(kept, exchange.ranksAt(group), own, wanted);
        }
        return held[halves.steps()];
    }

    /** Copies the segment's result to its place in {@code target}, unless it is there. */
    void settle(final BufferRange target) {
        final BufferRange segment = parts.held(target, place, halves.steps());
        if (!segment.equals(held[halves.steps()])) {
            flow.copy(held[halves.steps()], segment);
        }
    }

    /** Returns the range that this rank held before a step. */
    BufferRange heldBefore(final int step) {
        return held[step];
    }
}
