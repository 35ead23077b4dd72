package tutti.coll.basic;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * A run of ranks around the circle 0, 1, …, size-1, 0, …: it may pass the end, and its blocks are then two pieces of memory.
 *
 * @param first  first rank of the run
 * @param length ranks in the run, at most {@code size}
 * @param size   ranks in the circle
 */
record CyclicRange(int first, int length, int size) {

    /** Ranks up to the end of the circle. */
    int head() {
        return Math.min(length, size - first);
    }

    /** Ranks from 0 on; 0 when the run does not pass the end. */
    int tail() {
        return length - head();
    }

    /** The blocks of the ranks up to the end; blocks lie one after the other. */
    BufferRange headOf(final Buffer buffer, final Blocks blocks) {
        return run(buffer, blocks, first, head());
    }

    /** The blocks of the ranks from 0 on. */
    BufferRange tailOf(final Buffer buffer, final Blocks blocks) {
        return run(buffer, blocks, 0, tail());
    }

    private static BufferRange run(final Buffer buffer, final Blocks blocks, final int from, final int count) {
        return count == 0 ? buffer.at(0, 0) : buffer.at(blocks.offset(from), blocks.bytes(from) * count);
    }
}
