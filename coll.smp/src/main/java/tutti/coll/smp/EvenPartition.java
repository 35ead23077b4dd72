package tutti.coll.smp;

import tutti.coll.BufferRange;

/**
 * Data cut into as many blocks as there are ranks, each of whole elements, lengths differing by one element at most; the first are the longer
 * ones.
 *
 * @param bytes   of the data
 * @param element bytes that stay together
 * @param blocks  how many
 */
record EvenPartition(long bytes, long element, int blocks) {

    /** The bytes of a block. */
    long bytes(final int block) {
        return start(block + 1) - start(block);
    }

    private long start(final int block) {
        final long elements = bytes / element;
        return element * (elements / blocks * block + Math.min(block, elements % blocks));
    }

    /** A block of the data. */
    BufferRange of(final BufferRange data, final int block) {
        return data.slice(start(block), bytes(block));
    }
}
