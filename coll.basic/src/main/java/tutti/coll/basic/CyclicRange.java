package tutti.coll.basic;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * A range of ranks in the cyclic order 0, 1, …, size-1, 0, …. If it wraps around the end, its blocks are in two pieces of memory.
 *
 * @param first  first rank of the range
 * @param length number of ranks in the range, at most {@code size}
 * @param size   number of ranks in the cycle
 */
record CyclicRange(int first, int length, int size) {

    /** Returns the number of ranks before the end of the cycle. */
    int head() {
        return Math.min(length, size - first);
    }

    /** Returns the number of ranks from rank 0; 0 if the range does not wrap around. */
    int tail() {
        return length - head();
    }

    /** Returns the blocks of the ranks before the end of the cycle. Blocks are located one after the other. */
    BufferRange headOf(final Buffer buffer, final Blocks blocks) {
        return run(buffer, blocks, first, head());
    }

    /** Returns the blocks of the ranks from rank 0. */
    BufferRange tailOf(final Buffer buffer, final Blocks blocks) {
        return run(buffer, blocks, 0, tail());
    }

    private static BufferRange run(final Buffer buffer, final Blocks blocks, final int from, final int count) {
        return count == 0 ? buffer.at(0, 0) : buffer.at(blocks.offset(from), blocks.bytes(from) * count);
    }
}
