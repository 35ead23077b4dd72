package tutti.coll.ring;

/**
 * The ranks in the order of a route, and again from its start, seen from one of them; data moves along the route.
 *
 * @param route which rank comes where
 * @param place of the rank from which it is seen
 * @param size  ranks
 */
record Ring(RingOrder route, int place, int size) {

    /** Who comes next. */
    int right() {
        return route.rank(place + 1 == size ? 0 : place + 1);
    }

    /** Who comes before. */
    int left() {
        return back(1);
    }

    /** The rank {@code distance} steps before, {@code 0 <= distance <= size}. */
    int back(final int distance) {
        return route.rank(place >= distance ? place - distance : place - distance + size);
    }
}
