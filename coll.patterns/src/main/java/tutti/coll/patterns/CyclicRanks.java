package tutti.coll.patterns;

/** Arithmetic on ranks in the cyclic order 0, 1, …, size-1, 0, …: sums and differences modulo size without overflow. */
public final class CyclicRanks {
    private CyclicRanks() {}

    /** Returns the rank {@code distance} steps above, {@code 0 <= distance < size}. */
    public static int up(final int rank, final int distance, final int size) {
        return rank < size - distance ? rank + distance : rank - (size - distance);
    }

    /** Returns the rank {@code distance} steps below, {@code 0 <= distance < size}. */
    public static int down(final int rank, final int distance, final int size) {
        return rank >= distance ? rank - distance : rank - distance + size;
    }

    /** Returns how many of {@code length} ranks from {@code first} up come before rank 0. */
    public static int head(final int first, final int length, final int size) {
        return Math.min(length, size - first);
    }

    /**
     * Returns the partner of {@code rank} in a round of a pairwise exchange: in round s, ranks exchange whose sum is s modulo size. A rank is its own
     * partner in the round in which it pauses. In {@code size} rounds, all pairs of ranks are partners once.
     */
    public static int partner(final int rank, final int round, final int size) {
        return down(round, rank, size);
    }
}
