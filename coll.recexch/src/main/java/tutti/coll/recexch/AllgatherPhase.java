package tutti.coll.recexch;

import tutti.coll.BufferRange;
import tutti.coll.patterns.DependencyTracker;

/**
 * Plans the allgather, gather and scatter phases of one participating rank: moves segments without changing them. The steps of {@link HalvingRanges}
 * scatter in their order and gather in reverse order.
 *
 * @param tracker   dependency tracker of the plan
 * @param ranges which virtual rank holds which segments
 * @param layout  where the segments are located in the data
 * @param vrank  virtual rank of the planning rank
 */
record AllgatherPhase(DependencyTracker tracker, HalvingRanges ranges, SegmentLayout layout, int vrank) {

    /**
     * Distributes all data to all participating ranks.
     *
     * @param all  the data; this rank's segment is in it
     * @param root virtual rank that has all data, while the ranks on the paths from it have what it scattered; -1 for none
     */
    void allgather(final BufferRange all, final int root) {
        for (int step = ranges.steps() - 1; step >= 0; step--) {
            final int[] group = ranges.group(vrank, step);
            final int own = ranges.digit(vrank, step);
            final BufferRange held = layout.held(all, vrank, step + 1);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                if (lacks(to, step, root)) {
                    tracker.send(held, rank(to));
                }
                final int from = group[(own - i + group.length) % group.length];
                if (lacks(vrank, step, root)) {
                    tracker.recv(layout.held(all, from, step + 1), rank(from));
                }
            }
        }
    }

    private boolean lacks(final int other, final int step, final int root) {
        return root < 0 || step <= ranges.partingStep(other, root);
    }

    /**
     * Gathers all data at one virtual rank.
     *
     * @param gathered holds this rank's segment, with space for what it gathers: its range after the step of {@link HalvingRanges#partingStep}
     */
    void gather(final BufferRange gathered, final int root) {
        final int parting = ranges.partingStep(vrank, root);
        for (int step = ranges.steps() - 1; step > parting; step--) {
            final int[] group = ranges.group(vrank, step);
            final int own = ranges.digit(vrank, step);
            for (int i = 1; i < group.length; i++) {
                final int from = group[(own + i) % group.length];
                tracker.recv(within(gathered, from, step + 1, parting + 1), rank(from));
            }
        }
        if (parting >= 0) {
            tracker.send(gathered, rank(ranges.keeper(vrank, parting, ranges.digit(root, parting))));
        }
    }

    /**
     * Scatters the data: every virtual rank receives its segment, together with the segments that it passes on.
     *
     * @param all the data at the root; space for it on other ranks
     */
    void scatter(final BufferRange all, final int root) {
        final int parting = ranges.partingStep(vrank, root);
        if (parting >= 0) {
            tracker.recv(layout.held(all, vrank, parting + 1), rank(ranges.keeper(vrank, parting, ranges.digit(root, parting))));
        }
        for (int step = parting + 1; step < ranges.steps(); step++) {
            final int[] group = ranges.group(vrank, step);
            final int own = ranges.digit(vrank, step);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                tracker.send(layout.held(all, to, step + 1), rank(to));
            }
        }
    }

    /** Returns the range that {@code other} holds before a step, as a slice of what this rank held before an earlier step. */
    BufferRange within(final BufferRange earlierRange, final int other, final int step, final int earlier) {
        final long base = layout.start(ranges.first(vrank, earlier));
        final int first = ranges.first(other, step);
        return earlierRange.slice(layout.start(first) - base, layout.start(first + ranges.width(step)) - layout.start(first));
    }

    private int rank(final int other) {
        return ranges.exchange().rankAt(other);
    }
}
