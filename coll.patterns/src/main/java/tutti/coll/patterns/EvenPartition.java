package tutti.coll.patterns;

import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.BufferRange;

/**
 * A partition of data into one block for each rank. Every block has whole elements. The lengths differ by at most one element, and the longer blocks
 * are first.
 *
 * @param bytes   length of the data in bytes
 * @param element length of an element in bytes
 * @param blocks  number of blocks
 */
public record EvenPartition(long bytes, long element, int blocks) {

    /** Returns the length of a block in bytes. */
    public long bytes(final int block) {
        return start(block + 1) - start(block);
    }

    /** Returns the offset of a block in bytes; for the block after the last one, the length of the data. */
    public long start(final int block) {
        final long elements = bytes / element;
        return element * (elements / blocks * block + Math.min(block, elements % blocks));
    }

    /** Returns the range of a block within {@code data}. */
    public BufferRange of(final BufferRange data, final int block) {
        return data.slice(start(block), bytes(block));
    }

    /** Returns the blocks as a layout. */
    public Blocks layout() {
        return Blocks.packed(IntStream.range(0, blocks).mapToLong(this::bytes).toArray());
    }
}
