package tutti.coll.recexch;

/**
 * Index maths of ranks cut into blocks whose sizes are the powers of two that make up their number, from the largest on: one rank's block. The
 * reduction over all has canonical brackets when each block's has, and the blocks are combined from the last on: (b0 (b1 (b2 …))).
 *
 * @param first the first rank of the block
 * @param size  ranks of the block
 * @param next  ranks of the block after it; 0 at the last one
 * @param prior ranks of the block before it; 0 at the first one
 */
record PowerOfTwoBlocks(int first, int size, int next, int prior) {

    /** The block of {@code rank} among {@code ranks}. */
    static PowerOfTwoBlocks of(final int rank, final int ranks) {
        int first = 0;
        int prior = 0;
        int size = Integer.highestOneBit(ranks);
        while (rank >= first + size) {
            first += size;
            prior = size;
            size = Integer.highestOneBit(ranks - first);
        }
        return new PowerOfTwoBlocks(first, size, Integer.highestOneBit(ranks - first - size), prior);
    }

    /** Who of the next block hands over what the blocks after this one have to a rank of this block; -1 when somebody of this block does. */
    int giver(final int rank) {
        return rank - first < next ? rank + size : -1;
    }

    /** Who of this block passes it on to a rank of this block that has no {@link #giver}. */
    int passer(final int rank) {
        return rank - Integer.highestOneBit(rank - first);
    }

    /** To whom of this block a rank passes it on with a distance, which is a power of two from {@link #next} on; -1 for none. */
    int taker(final int rank, final int distance) {
        return rank - first < distance && distance < size ? rank + distance : -1;
    }
}
