package tutti.coll.recexch;

import tutti.coll.BufferRange;

/**
 * Plans the allgather, gather and scatter phases of one participating rank: moves segments without changing them. The steps of {@link HalvingRanges}
 * scatter in their order and gather in reverse order.
 *
 * @param flow   dependency tracker of the plan
 * @param halves which virtual rank holds which segments
 * @param parts  where the segments are located in the data
 * @param place  virtual rank of the planning rank
 */
record AllgatherPhase(DependencyTracker flow, HalvingRanges halves, SegmentLayout parts, int place) {

    /**
     * Distributes all data to all participating ranks.
     *
     * @param all  the data; this rank's segment is in it
     * @param root virtual rank that has all data, while the ranks on the paths from it have what it scattered; -1 for none
     */
    void allgather(final BufferRange all, final int root) {
        for (int step = halves.steps() - 1; step >= 0; step--) {
            final int[] group = halves.met(place, step);
            final int own = halves.digit(place, step);
            final BufferRange held = parts.held(all, place, step + 1);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                if (lacks(to, step, root)) {
                    flow.send(held, rank(to));
                }
                final int from = group[(own - i + group.length) % group.length];
                if (lacks(place, step, root)) {
                    flow.recv(parts.held(all, from, step + 1), rank(from));
                }
            }
        }
    }

    private boolean lacks(final int other, final int step, final int root) {
        return root < 0 || step <= halves.parting(other, root);
    }

    /**
     * Gathers all data at one virtual rank.
     *
     * @param gathered holds this rank's segment, with space for what it gathers: its range after the step of {@link HalvingRanges#parting}
     */
    void gather(final BufferRange gathered, final int root) {
        final int parting = halves.parting(place, root);
        for (int step = halves.steps() - 1; step > parting; step--) {
            final int[] group = halves.met(place, step);
            final int own = halves.digit(place, step);
            for (int i = 1; i < group.length; i++) {
                final int from = group[(own + i) % group.length];
                flow.recv(within(gathered, from, step + 1, parting + 1), rank(from));
            }
        }
        if (parting >= 0) {
            flow.send(gathered, rank(halves.keeper(place, parting, halves.digit(root, parting))));
        }
    }

    /**
     * Scatters the data: every virtual rank receives its segment, together with the segments that it passes on.
     *
     * @param all the data at the root; space for it on other ranks
     */
    void scatter(final BufferRange all, final int root) {
        final int parting = halves.parting(place, root);
        if (parting >= 0) {
            flow.recv(parts.held(all, place, parting + 1), rank(halves.keeper(place, parting, halves.digit(root, parting))));
        }
        for (int step = parting + 1; step < halves.steps(); step++) {
            final int[] group = halves.met(place, step);
            final int own = halves.digit(place, step);
            for (int i = 1; i < group.length; i++) {
                final int to = group[(own + i) % group.length];
                flow.send(parts.held(all, to, step + 1), rank(to));
            }
        }
    }

    /** Returns the range that {@code other} holds before a step, as a slice of what this rank held before an earlier step. */
    BufferRange within(final BufferRange earlierRange, final int other, final int step, final int earlier) {
        final long base = parts.start(halves.first(place, earlier));
        final int first = halves.first(other, step);
        return earlierRange.slice(parts.start(first) - base, parts.start(first + halves.width(step)) - parts.start(first));
    }

    private int rank(final int other) {
        return halves.exchange().rankAt(other);
    }
}
