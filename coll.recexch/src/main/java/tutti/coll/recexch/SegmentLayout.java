package tutti.coll.recexch;

import tutti.coll.Blocks;
import tutti.coll.BufferRange;

/** Where the segments of {@link HalvingRanges} lie in the data, one after the other. */
final class SegmentLayout {
    private final HalvingRanges halves;
    private final long[] starts;

    private SegmentLayout(final HalvingRanges halves, final long... starts) {
        this.halves = halves;
        this.starts = starts;
    }

    /** Segments that differ by at most one element. */
    static SegmentLayout even(final HalvingRanges halves, final long count, final long elementBytes) {
        final int segments = halves.width(0);
        final long[] starts = new long[segments + 1];
        for (int s = 0; s <= segments; s++) {
            starts[s] = elementBytes * (count / segments * s + Math.min(s, count % segments));
        }
        return new SegmentLayout(halves, starts);
    }

    /** A segment is the blocks of the ranks that its place stands for, where blocks lie one after the other. */
    static SegmentLayout ofBlocks(final HalvingRanges halves, final Blocks blocks) {
        final long[] starts = new long[halves.width(0) + 1];
        long next = 0;
        for (int s = 1; s < starts.length; s++) {
            for (int rank = halves.exchange().firstRank(s - 1); rank < halves.exchange().firstRank(s); rank++) {
                next += blocks.bytes(rank);
            }
            starts[s] = next;
        }
        return new SegmentLayout(halves, starts);
    }

    /** The first byte of a segment; of the one after the last, the bytes of all data. */
    long start(final int segment) {
        return starts[segment];
    }

    /** What a place holds before a step, as a piece of all data. */
    BufferRange held(final BufferRange all, final int place, final int step) {
        final int first = halves.first(place, step);
        final long from = starts[first];
        return all.slice(from, starts[first + halves.width(step)] - from);
    }

    /** What a place keeps in a step, as a piece of what it and the others that meet held before. */
    BufferRange kept(final BufferRange held, final int place, final int step) {
        final int first = halves.first(place, step + 1);
        final long from = starts[first];
        return held.slice(from - starts[halves.first(place, step)], starts[first + halves.width(step + 1)] - from);
    }
}
