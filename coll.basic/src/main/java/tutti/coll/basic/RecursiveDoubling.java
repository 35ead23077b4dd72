package tutti.coll.basic;

/**
 * Index maths of recursive doubling over any number of ranks.
 *
 * <p>With {@code size = core + extra}, core the largest power of two, the first {@code 2 * extra} ranks make neighbouring pairs: the even
 * one hands its part to the odd one and rests. The ranks that go on are numbered 0 to core-1 in rank order, so that a
 * block of 2^k of them stands for a run of ranks.
 *
 * @param size ranks
 */
record RecursiveDoubling(int size) {

    /** The ranks that take part in the exchange: the largest power of two that is at most {@code size}. */
    int core() {
        return Integer.highestOneBit(size);
    }

    /** Pairs at the start of which one rank rests. */
    int extra() {
        return size - core();
    }

    /** Rounds of exchange. */
    int rounds() {
        return Integer.numberOfTrailingZeros(core());
    }

    /** Whether {@code rank} belongs to a pair. */
    boolean isPaired(final int rank) {
        return rank < 2 * extra();
    }

    /** Whether {@code rank} hands its part to the next rank and rests. */
    boolean rests(final int rank) {
        return isPaired(rank) && (rank & 1) == 0;
    }

    /** The number of a rank that takes part. */
    int place(final int rank) {
        return isPaired(rank) ? rank >> 1 : rank - extra();
    }

    /** The rank of a number. */
    int rankAt(final int place) {
        return place < extra() ? 2 * place + 1 : place + extra();
    }

    /** With whom {@code rank} exchanges in a round. */
    int partner(final int rank, final int round) {
        return rankAt(place(rank) ^ (1 << round));
    }

    /** In how many rounds the partner of {@code rank} is a higher rank. */
    int higherPartners(final int rank) {
        return rounds() - Integer.bitCount(place(rank));
    }
}
