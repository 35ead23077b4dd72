package tutti.coll.ring;

import tutti.coll.Plan;

/**
 * The ranks 0, 1, …, size-1, 0, … from one of them, where data moves up.
 *
 * @param rank whose place it is
 * @param size ranks
 */
record Ring(int rank, int size) {

    static Ring of(final Plan plan) {
        return new Ring(plan.rank(), plan.size());
    }

    /** Who comes next. */
    int right() {
        return rank + 1 == size ? 0 : rank + 1;
    }

    /** Who comes before. */
    int left() {
        return back(1);
    }

    /** The rank {@code distance} steps before, {@code 0 <= distance <= size}. */
    int back(final int distance) {
        return rank >= distance ? rank - distance : rank - distance + size;
    }
}
