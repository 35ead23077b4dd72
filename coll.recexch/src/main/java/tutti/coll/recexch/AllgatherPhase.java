package tutti.coll.recexch;

import tutti.coll.BufferRange;

/**
 * Plans for one rank that takes part how segments move without being changed: the steps of {@link HalvingRanges} forwards scatter, backwards gather.
 *
 * @param flow   of the plan
 * @param halves who has what
 * @param parts  where it lies in the data
 * @param place  of this rank
 */
record AllgatherPhase(DependencyTracker flow, HalvingRanges halves, SegmentLayout parts, int place) {

    /**
     * Gives everybody all data.
     *
     * @param all  the data; this rank's segment is there
     * @param root who has all data, as well as those on the way from it what it scattered; -1 for nobody
     */
    void allgather(final BufferRange all, final int root) {
        for (int step = halves.steps() - 1; step >= 0; step--) {
            final int[] met = halves.met(place, step);
            final int own = halves.digit(place, step);
            final BufferRange mine = parts.held(all, place, step + 1);
            for (int i = 1; i < met.length; i++) {
                final int to = met[(own + i) % met.length];
                if (lacks(to, step, root)) {
                    flow.send(mine, rank(to));
                }
                final int from = met[(own - i + met.length) % met.length];
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
     * Brings all data to one place.
     *
     * @param room has this rank's segment, and room for what it gathers on the way: what it held after the step in which it parts
     */
    void gather(final BufferRange room, final int root) {
        final int parting = halves.parting(place, root);
        for (int step = halves.steps() - 1; step > parting; step--) {
            final int[] met = halves.met(place, step);
            final int own = halves.digit(place, step);
            for (int i = 1; i < met.length; i++) {
                final int from = met[(own + i) % met.length];
                flow.recv(within(room, from, step + 1, parting + 1), rank(from));
            }
        }
        if (parting >= 0) {
            flow.send(room, rank(halves.keeper(place, parting, halves.digit(root, parting))));
        }
    }

    /**
     * Brings every place its segment from one that has all, and what others get from it.
     *
     * @param all the data, at the root; room for it elsewhere
     */
    void scatter(final BufferRange all, final int root) {
        final int parting = halves.parting(place, root);
        if (parting >= 0) {
            flow.recv(parts.held(all, place, parting + 1), rank(halves.keeper(place, parting, halves.digit(root, parting))));
        }
        for (int step = parting + 1; step < halves.steps(); step++) {
            final int[] met = halves.met(place, step);
            final int own = halves.digit(place, step);
            for (int i = 1; i < met.length; i++) {
                final int to = met[(own + i) % met.length];
                flow.send(parts.held(all, to, step + 1), rank(to));
            }
        }
    }

    /** What {@code other} holds before a step, as a piece of what this place held before an earlier one. */
    BufferRange within(final BufferRange room, final int other, final int step, final int earlier) {
        final long base = parts.start(halves.first(place, earlier));
        final int first = halves.first(other, step);
        return room.slice(parts.start(first) - base, parts.start(first + halves.width(step)) - parts.start(first));
    }

    private int rank(final int other) {
        return halves.exchange().rankAt(other);
    }
}
