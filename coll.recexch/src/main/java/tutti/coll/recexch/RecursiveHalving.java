package tutti.coll.recexch;

import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Plans a reduction by recursive halving for one rank that takes part: in each step it gives away what it does not keep, and takes in what the
 * others have of what it keeps, until it has the result of one segment.
 *
 * <p>What it receives in a step is in memory of its own, so a step waits for nothing but its data; that of all steps is less than the data. What
 * is combined is copied at most once, and only where operands may not be swapped. For one plan.
 */
final class RecursiveHalving {
    private final DependencyTracker flow;
    private final HalvingRanges halves;
    private final RecursiveExchange exchange;
    private final SegmentLayout parts;
    private final CanonicalMerge merge;
    private final int place;
    private final BufferRange[] held;

    /** @param contribution of this rank */
    RecursiveHalving(final DependencyTracker flow, final HalvingRanges halves, final SegmentLayout parts, final Reduction reduction, final int rank,
        final BufferRange contribution) {
        this.flow = flow;
        this.halves = halves;
        this.exchange = halves.exchange();
        this.parts = parts;
        this.merge = new CanonicalMerge(flow, new ScratchPool(flow), reduction, reduction.isCommutative());
        this.place = exchange.placeOf(rank);
        this.held = new BufferRange[halves.steps() + 1];
        this.held[0] = contribution;
    }

    /**
     * Plans it.
     *
     * @param home where the results would be wanted, all of them; null for anywhere
     * @param last where that of the last step would be wanted instead; null for anywhere
     * @return where the segment's result lies
     */
    BufferRange plan(final BufferRange home, final BufferRange last) {
        if (exchange.isPaired(exchange.rankAt(place))) {
            final int rank = exchange.rankAt(place);
            final int other = exchange.other(rank);
            held[0] = merge.merge(held[0], new int[] {Math.min(rank, other), Math.max(rank, other)}, rank > other ? 1 : 0, home);
        }
        for (int step = 0; step < halves.steps(); step++) {
            final int own = halves.digit(place, step);
            final int[] met = halves.met(place, step);
            for (int i = 1; i < met.length; i++) {
                final int to = met[(own + i) % met.length];
                flow.send(parts.kept(held[step], to, step), exchange.rankAt(to));
            }
            final BufferRange kept = parts.kept(held[step], place, step);
            final BufferRange wanted = home != null ? parts.held(home, place, step + 1) : step + 1 == halves.steps() ? last : null;
            held[step + 1] = kept.bytes() == 0 ? kept : merge.merge(kept, exchange.ranksAt(met), own, wanted);
        }
        return held[halves.steps()];
    }

    /** Brings the segment's result to where it belongs in {@code home}. */
    void settle(final BufferRange home) {
        final BufferRange segment = parts.held(home, place, halves.steps());
        if (!segment.equals(held[halves.steps()])) {
            flow.copy(held[halves.steps()], segment);
        }
    }

    /** The memory that held, before a step, what this rank held then. */
    BufferRange heldBefore(final int step) {
        return held[step];
    }
}
