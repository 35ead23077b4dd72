package tutti.coll.dissem;

/** Arithmetic on ranks in the cyclic order 0, 1, …, size-1, 0, …: sums and differences modulo size without overflow. */
final class CyclicRanks {
    private CyclicRanks() {}

    /** Returns the rank {@code distance} steps above, {@code 0 <= distance < size}. */
    static int up(final int rank, final int distance, final int size) {
        return rank < size - distance ? rank + distance : rank - (size - distance);
    }

    /** Returns the rank {@code distance} steps below, {@code 0 <= distance < size}. */
    static int down(final int rank, final int distance, final int size) {
        return rank >= distance ? rank - distance : rank - distance + size;
    }
}
