package tutti.coll.recexch;

import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.BufferRange;
import tutti.coll.patterns.EvenPartition;

/** Layout of the segments of {@link HalvingRanges} in the data, one after the other. */
final class SegmentLayout {
    private final HalvingRanges ranges;
    private final long[] starts;

    private SegmentLayout(final HalvingRanges ranges, final long... starts) {
        this.ranges = ranges;
        this.starts = starts;
    }

    /** Returns a layout of segments whose lengths differ by at most one element. */
    static SegmentLayout even(final HalvingRanges ranges, final long count, final long elementBytes) {
        final EvenPartition partition = new EvenPartition(count * elementBytes, elementBytes, ranges.width(0));
        return new SegmentLayout(ranges, IntStream.rangeClosed(0, ranges.width(0)).mapToLong(partition::start).toArray());
    }

    /** Returns a layout in which a segment is the blocks of the ranks of a virtual rank; the blocks are stored one after the other. */
    static SegmentLayout ofBlocks(final HalvingRanges ranges, final Blocks blocks) {
        final long[] starts = new long[ranges.width(0) + 1];
        long next = 0;
        for (int s = 1; s < starts.length; s++) {
            for (int rank = ranges.exchange().firstRank(s - 1); rank < ranges.exchange().firstRank(s); rank++) {
                next += blocks.bytes(rank);
            }
            starts[s] = next;
        }
        return new SegmentLayout(ranges, starts);
    }

    /** Returns the offset of a segment; for the segment after the last one, the length of all data. */
    long start(final int segment) {
        return starts[segment];
    }

    /** Returns the range that a virtual rank holds before a step, as a slice of all data. */
    BufferRange held(final BufferRange all, final int vrank, final int step) {
        final int first = ranges.first(vrank, step);
        final long from = starts[first];
        return all.slice(from, starts[first + ranges.width(step)] - from);
    }

    /** Returns the range that a virtual rank keeps in a step, as a slice of what its group held before. */
    BufferRange kept(final BufferRange held, final int vrank, final int step) {
        final int first = ranges.first(vrank, step + 1);
        final long from = starts[first];
        return held.slice(from - starts[ranges.first(vrank, step)], starts[first + ranges.width(step + 1)] - from);
    }
}
