package tutti.coll.ring;

import tutti.coll.Blocks;
import tutti.coll.BufferRange;

/**
 * How data is cut into segments: all of one length but the last of a block, each of whole elements.
 *
 * <p>So that plans stay bounded there are at most {@value #MOST} segments in a block, and about {@value #MOST_IN_ALL} in all blocks of a call
 * together but always one per block: where more would be needed they are longer.
 *
 * @param length bytes of a segment, more than 0
 */
record Segments(long length) {
    /** Most segments of one block. */
    static final int MOST = 256;
    /** Most segments of all blocks, unless there are more blocks. */
    static final int MOST_IN_ALL = 16384;

    /**
     * For data that is cut as one block.
     *
     * @param wanted  bytes per segment
     * @param bytes   of the data
     * @param element bytes that stay together
     */
    static Segments of(final long wanted, final long bytes, final long element) {
        return atMost(MOST, wanted, bytes, element);
    }

    /** For blocks that are cut each on its own, all by the same length. */
    static Segments of(final long wanted, final Blocks blocks, final long element) {
        return atMost(Math.clamp(MOST_IN_ALL / blocks.count(), 1, MOST), wanted, longest(blocks), element);
    }

    /** The bytes of the longest block. */
    static long longest(final Blocks blocks) {
        long longest = 0;
        for (int i = 0; i < blocks.count(); i++) {
            longest = Math.max(longest, blocks.bytes(i));
        }
        return longest;
    }

    private static Segments atMost(final int most, final long wanted, final long bytes, final long element) {
        final long elements = Math.ceilDiv(bytes, element);
        return new Segments(element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(elements, most)));
    }

    /** How many segments a block of that length has; none when it is empty. */
    int count(final long bytes) {
        return (int) Math.ceilDiv(bytes, length);
    }

    /** Segment {@code i} of a block. */
    BufferRange of(final BufferRange block, final int i) {
        final long from = i * length;
        return block.slice(from, Math.min(length, block.bytes() - from));
    }
}
