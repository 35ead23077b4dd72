package tutti.coll.ring;

/**
 * Ring of the ranks in the order of a route, seen from one of them; data travels along the route.
 *
 * @param route order of the ranks
 * @param position position of the rank on the route
 * @param size  number of ranks
 */
record Ring(RingOrder route, int position, int size) {

    /** Returns the next rank. */
    int right() {
        return route.rank(position + 1 == size ? 0 : position + 1);
    }

    /** Returns the previous rank. */
    int left() {
        return back(1);
    }

    /** Returns the rank {@code distance} steps before, {@code 0 <= distance <= size}. */
    int back(final int distance) {
        return route.rank(position >= distance ? position - distance : position - distance + size);
    }
}
