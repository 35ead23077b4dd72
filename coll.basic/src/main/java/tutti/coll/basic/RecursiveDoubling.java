package tutti.coll.basic;

/**
 * Index computations of recursive doubling over any number of ranks.
 *
 * <p>Let {@code size = core + extra}, where core is the largest power of two. The first {@code 2 * extra} ranks form pairs of neighbours. The
 * even rank of a pair sends its part to the odd one and takes no part in the exchange. The active ranks are numbered 0 to core-1 in rank order,
 * so that a block of 2^k of them stands for consecutive ranks.
 *
 * @param size number of ranks
 */
record RecursiveDoubling(int size) {

    /** Returns the number of active ranks: the largest power of two that is at most {@code size}. */
    int core() {
        return Integer.highestOneBit(size);
    }

    /** Returns the number of pairs, in each of which one rank is not active. */
    int extra() {
        return size - core();
    }

    /** Returns the number of rounds of the exchange. */
    int rounds() {
        return Integer.numberOfTrailingZeros(core());
    }

    /** Returns whether {@code rank} belongs to a pair. */
    boolean isPaired(final int rank) {
        return rank < 2 * extra();
    }

    /** Returns whether {@code rank} sends its part to the next rank and is not active. */
    boolean isIdle(final int rank) {
        return isPaired(rank) && (rank & 1) == 0;
    }

    /** Returns the number of an active rank. */
    int index(final int rank) {
        return isPaired(rank) ? rank >> 1 : rank - extra();
    }

    /** Returns the active rank with a number. */
    int rankAt(final int index) {
        return index < extra() ? 2 * index + 1 : index + extra();
    }

    /** Returns the partner of an active rank in a round. */
    int partner(final int rank, final int round) {
        return rankAt(index(rank) ^ (1 << round));
    }

    /** Returns the number of rounds in which the partner of {@code rank} is a higher rank. */
    int higherPartners(final int rank) {
        return rounds() - Integer.bitCount(index(rank));
    }
}
