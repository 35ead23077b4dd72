package tutti.coll.recexch;

import tutti.coll.patterns.RecursiveExchange;

/**
 * Ranges of segments that the virtual ranks hold during recursive halving. The data has one segment per virtual rank, and in each step a virtual rank
 * keeps one part of its range, while the others of its group keep the other parts.
 *
 * <p>The steps are the rounds of a {@link RecursiveExchange} in one of two directions. From near to far, the groups of a step stand for neighbouring
 * blocks of consecutive ranks, and a segment ends at the virtual rank whose digits are those of the segment reversed. From far to near, segment s
 * ends at virtual rank s. In reverse, from the last step to the first, the same steps gather what they scattered.
 *
 * <p>Immutable; every method is a pure function.
 *
 * @param exchange  exchange whose rounds are the steps
 * @param nearToFar whether the rounds are in their order; false from the last to the first
 */
record HalvingRanges(RecursiveExchange exchange, boolean nearToFar) {

    int steps() {
        return exchange.rounds();
    }

    private int round(final int step) {
        return nearToFar ? step : steps() - 1 - step;
    }

    /** Returns how many virtual ranks a group has in a step, which is the number of parts. */
    int radix(final int step) {
        return exchange.radix(round(step));
    }

    /** Returns the index of the part that a virtual rank keeps in a step, which is its index in the group. */
    int digit(final int vrank, final int step) {
        return exchange.digit(vrank, round(step));
    }

    /** Returns the virtual rank that keeps a part in a step. */
    int keeper(final int vrank, final int step, final int part) {
        return exchange.withDigit(vrank, round(step), part);
    }

    /** Returns the group of a virtual rank in a step, in ascending order. */
    int[] group(final int vrank, final int step) {
        return exchange.group(vrank, round(step));
    }

    /** Returns how many segments are held before a step; 1 after the last step. */
    int width(final int step) {
        int width = exchange.vrankCount();
        for (int s = 0; s < step; s++) {
            width /= radix(s);
        }
        return width;
    }

    /** Returns the first segment that a virtual rank holds before a step; after the last step, its final segment. */
    int first(final int vrank, final int step) {
        int first = 0;
        for (int s = 0; s < step; s++) {
            first += digit(vrank, s) * width(s + 1);
        }
        return first;
    }

    /** Returns the virtual rank that holds a segment after the last step. */
    int holder(final int segment) {
        int vrank = 0;
        for (int s = 0; s < steps(); s++) {
            vrank += segment / width(s + 1) % radix(s) * exchange.span(round(s));
        }
        return vrank;
    }

    /**
     * Returns the last step in which a virtual rank and {@code root} keep different parts; -1 for the root itself. In that step the virtual rank
     * receives its part of the root's data. In reverse, it sends there what it gathered for the root.
     */
    int partingStep(final int vrank, final int root) {
        for (int s = steps() - 1; s >= 0; s--) {
            if (digit(vrank, s) != digit(root, s)) {
                return s;
            }
        }
        return -1;
    }
}
