package tutti.coll.ring;

import tutti.coll.Blocks;
import tutti.coll.patterns.Segments;

/**
 * Limits of the number of segments, which bound the size of plans: at most {@value #MAX_PER_BLOCK} in a block, and about {@value #MAX_IN_ALL} in all
 * blocks of a call, but at least one per block.
 */
final class RingSegments {
    /** Largest number of segments of one block. */
    static final int MAX_PER_BLOCK = 256;
    /** Largest number of segments of all blocks, unless there are more blocks. */
    static final int MAX_IN_ALL = 16384;

    private RingSegments() {}

    /** Returns the segments of data that is one block. */
    static Segments of(final long wanted, final long bytes, final long element) {
        return Segments.of(wanted, bytes, element, MAX_PER_BLOCK);
    }

    /** Returns the segments of blocks that are divided independently, all with the same segment length. */
    static Segments of(final long wanted, final Blocks blocks, final long element) {
        return Segments.of(wanted, longest(blocks), element, most(blocks.count()));
    }

    /** Returns the segments of a block that one of {@code ranks} ranks sends to another, by what both of them know. */
    static Segments ofPair(final long wanted, final long bytes, final int ranks) {
        return Segments.of(wanted, bytes, 1, most(ranks));
    }

    private static int most(final int blocks) {
        return Math.clamp(MAX_IN_ALL / blocks, 1, MAX_PER_BLOCK);
    }

    /** Returns the length of the longest block. */
    static long longest(final Blocks blocks) {
        long longest = 0;
        for (int i = 0; i < blocks.count(); i++) {
            longest = Math.max(longest, blocks.bytes(i));
        }
        return longest;
    }
}
