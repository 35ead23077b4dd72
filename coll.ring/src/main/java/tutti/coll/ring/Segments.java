package tutti.coll.ring;

import tutti.coll.Blocks;
import tutti.coll.BufferRange;

/**
 * Division of data into segments: all of one length except the last of a block, each of whole elements.
 *
 * <p>To bound the size of plans there are at most {@value #MAX_PER_BLOCK} segments in a block, and about {@value #MAX_IN_ALL} in all blocks of a
 * call, but at least one per block. Segments are longer where there would be more.
 *
 * @param length length of a segment in bytes, more than 0
 */
record Segments(long length) {
    /** Largest number of segments of one block. */
    static final int MAX_PER_BLOCK = 256;
    /** Largest number of segments of all blocks, unless there are more blocks. */
    static final int MAX_IN_ALL = 16384;

    /**
     * Returns the segments of data that is one block.
     *
     * @param wanted  requested length of a segment in bytes
     * @param bytes   length of the data
     * @param element length of an element, which is not divided
     */
    static Segments of(final long wanted, final long bytes, final long element) {
        return atMost(MAX_PER_BLOCK, wanted, bytes, element);
    }

    /** Returns the segments of blocks that are divided independently, all with the same segment length. */
    static Segments of(final long wanted, final Blocks blocks, final long element) {
        return atMost(Math.clamp(MAX_IN_ALL / blocks.count(), 1, MAX_PER_BLOCK), wanted, longest(blocks), element);
    }

    /** Returns the length of the longest block. */
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

    /** Returns the number of segments of a block of that length; 0 if it is empty. */
    int count(final long bytes) {
        return (int) Math.ceilDiv(bytes, length);
    }

    /** Returns segment {@code i} of a block. */
    BufferRange of(final BufferRange block, final int i) {
        final long from = i * length;
        return block.slice(from, Math.min(length, block.bytes() - from));
    }
}
