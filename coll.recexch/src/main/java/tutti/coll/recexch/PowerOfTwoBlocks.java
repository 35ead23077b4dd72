package tutti.coll.recexch;

/**
 * Block of one rank when the ranks are divided into blocks whose sizes are the powers of two of their number, in descending order. The reduction over
 * all ranks has canonical brackets if each block's has, and the blocks are combined from the last to the first: (b0 (b1 (b2 …))).
 *
 * @param first first rank of the block
 * @param size  number of ranks in the block
 * @param next  number of ranks in the next block; 0 for the last block
 * @param prior number of ranks in the previous block; 0 for the first block
 */
record PowerOfTwoBlocks(int first, int size, int next, int prior) {

    /** Returns the block of {@code rank} among {@code ranks}. */
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

    /** Returns the rank of the next block that sends the value of the later blocks to {@code rank}; -1 if a rank of this block does. */
    int senderOfNextBlock(final int rank) {
        return rank - first < next ? rank + size : -1;
    }

    /** Returns the rank of this block that sends the value of the later blocks to {@code rank}, which has no {@link #senderOfNextBlock}. */
    int senderInBlock(final int rank) {
        return rank - Integer.highestOneBit(rank - first);
    }

    /**
     * Returns the rank of this block that {@code rank} sends the value to, {@code distance} above it; -1 for none. Distances are powers of two from
     * {@link #next} on.
     */
    int receiverInBlock(final int rank, final int distance) {
        return rank - first < distance && distance < size ? rank + distance : -1;
    }
}
