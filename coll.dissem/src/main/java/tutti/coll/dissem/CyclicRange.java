package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * The blocks of consecutive ranks in the cyclic order 0, 1, …, size-1, 0, …, one after the other as in a message.
 *
 * @param blocks layout of the blocks in RECV
 * @param first  first rank of the range
 * @param length number of ranks in the range, at most the number of blocks
 */
record CyclicRange(Blocks blocks, int first, int length) {

    /**
     * A part of the range that is contiguous in RECV.
     *
     * @param offset   offset of the part in the range, in bytes
     * @param target location of the part in RECV
     */
    record Segment(long offset, BufferRange target) {}

    /** Returns the number of bytes in all its blocks. */
    long bytes() {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += blocks.bytes(rank(i));
        }
        return sum;
    }

    /** Returns the parts of the range that are contiguous in RECV, as few as possible; none if all blocks are empty. */
    List<Segment> segments() {
        final List<Segment> segments = new ArrayList<>();
        long offset = 0;
        for (int i = 0; i < length; i++) {
            final BufferRange target = blocks.in(Buffer.RECV, rank(i));
            final Segment last = segments.isEmpty() ? null : segments.getLast();
            if (last != null && last.target.end() == target.offset()) {
                segments.set(segments.size() - 1,
                    new Segment(last.offset, Buffer.RECV.at(last.target.offset(), last.target.bytes() + target.bytes())));
            } else if (target.bytes() > 0) {
                segments.add(new Segment(offset, target));
            }
            offset += target.bytes();
        }
        return segments;
    }

    private int rank(final int i) {
        return CyclicRanks.up(first, i, blocks.count());
    }
}
