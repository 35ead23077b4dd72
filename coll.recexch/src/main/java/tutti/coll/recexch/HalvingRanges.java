package tutti.coll.recexch;

/**
 * Who holds what when data is cut into one segment per place and in each step a place keeps one part of what it holds for each place that it meets.
 *
 * <p>The steps are the rounds of an {@link RecursiveExchange} in one of two directions: from near to far, where what meets in a step stands for
 * neighbouring
 * runs of ranks, and segments end at the place whose digits are theirs reversed; or from far to near, where segment s ends at place s.
 * Backwards, from the last step to the first, the same steps gather what they scattered.
 *
 * <p>Immutable; every method is a pure function.
 *
 * @param exchange   whose rounds the steps are
 * @param nearToFar  in their order, or from the last to the first
 */
record HalvingRanges(RecursiveExchange exchange, boolean nearToFar) {

    int steps() {
        return exchange.rounds();
    }

    private int round(final int step) {
        return nearToFar ? step : steps() - 1 - step;
    }

    /** How many places meet in a step, and how many parts are made. */
    int radix(final int step) {
        return exchange.radix(round(step));
    }

    /** Which part a place keeps in a step, and as which of those that meet it is counted. */
    int digit(final int place, final int step) {
        return exchange.digit(place, round(step));
    }

    /** The place that keeps a part in a step. */
    int keeper(final int place, final int step, final int part) {
        return exchange.withDigit(place, round(step), part);
    }

    /** Those that meet in a step, from the lowest to the highest. */
    int[] met(final int place, final int step) {
        return exchange.met(place, round(step));
    }

    /** How many segments are held before a step; after the last one, 1. */
    int width(final int step) {
        int width = exchange.core();
        for (int s = 0; s < step; s++) {
            width /= radix(s);
        }
        return width;
    }

    /** The first segment that a place holds before a step; after the last one, the one that it ends with. */
    int first(final int place, final int step) {
        int first = 0;
        for (int s = 0; s < step; s++) {
            first += digit(place, s) * width(s + 1);
        }
        return first;
    }

    /** The place that ends with a segment. */
    int holder(final int segment) {
        int place = 0;
        for (int s = 0; s < steps(); s++) {
            place += segment / width(s + 1) % radix(s) * exchange.span(round(s));
        }
        return place;
    }

    /**
     * The last step in which a place meets {@code root}'s side without being on it: there it gets its part of what the root has, and backwards
     * gives up what it gathered for the root. -1 for the root itself.
     */
    int parting(final int place, final int root) {
        for (int s = steps() - 1; s >= 0; s--) {
            if (digit(place, s) != digit(root, s)) {
                return s;
            }
        }
        return -1;
    }
}
