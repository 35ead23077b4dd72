package tutti.coll.basic;

/** Steps around the circle of ranks 0, 1, …, size-1, 0, …: sums and differences modulo size without overflow. */
final class CyclicRanks {
    private CyclicRanks() { }

    /** The rank {@code distance} steps above, {@code 0 <= distance < size}. */
    static int up(final int rank, final int distance, final int size) {
        return rank < size - distance ? rank + distance : rank - (size - distance);
    }

    /** The rank {@code distance} steps below, {@code 0 <= distance < size}. */
    static int down(final int rank, final int distance, final int size) {
        return rank >= distance ? rank - distance : rank - distance + size;
    }
}
