package tutti.coll.patterns;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * The blocks of consecutive ranks in the cyclic order 0, 1, …, size-1, 0, …, one after the other as in a message.
 *
 * @param blocks layout of the blocks in their buffer, one per rank
 * @param first  first rank of the range
 * @param length number of ranks in the range, at most the number of blocks
 */
public record CyclicRange(Blocks blocks, int first, int length) {

    /**
     * A part of the range that is contiguous in the buffer.
     *
     * @param offset offset of the part in the range, in bytes
     * @param range  location of the part in the buffer
     */
    public record Segment(long offset, BufferRange range) {}

    /** Returns the number of bytes in all its blocks. */
    public long bytes() {
        if (blocks.isUniform()) {
            return length == 0 ? 0 : length * blocks.bytes(0);
        }
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += blocks.bytes(rank(i));
        }
        return sum;
    }

    /** Returns the parts of the range that are contiguous in a buffer, as few as possible; none if all blocks are empty. */
    public List<Segment> segments(final Buffer buffer) {
        final List<Segment> segments = new ArrayList<>();
        if (blocks.isUniform() && bytes() > 0) {
            final int head = CyclicRanks.head(first, length, blocks.count());
            final long split = head * blocks.bytes(0);
            segments.add(new Segment(0, buffer.at(blocks.offset(first), split)));
            if (head < length) {
                segments.add(new Segment(split, buffer.at(0, bytes() - split)));
            }
        } else if (!blocks.isUniform()) {
            join(buffer, segments);
        }
        return segments;
    }

    private void join(final Buffer buffer, final List<Segment> segments) {
        long offset = 0;
        for (int i = 0; i < length; i++) {
            final BufferRange block = blocks.in(buffer, rank(i));
            final Segment last = segments.isEmpty() ? null : segments.getLast();
            if (last != null && last.range.end() == block.offset()) {
                segments.set(segments.size() - 1, new Segment(last.offset, buffer.at(last.range.offset(), last.range.bytes() + block.bytes())));
            } else if (block.bytes() > 0) {
                segments.add(new Segment(offset, block));
            }
            offset += block.bytes();
        }
    }

    private int rank(final int i) {
        return CyclicRanks.up(first, i, blocks.count());
    }
}
