package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BlocksTest {
    @Test
    void shouldPlaceUniformBlocksOneAfterTheOther() {
        final Blocks blocks = Blocks.uniform(3, 8);
        assertTrue(blocks.isUniform());
        assertEquals(3, blocks.count());
        assertEquals(16, blocks.offset(2));
        assertEquals(8, blocks.bytes(2));
        assertEquals(24, blocks.total());
        assertEquals(24, blocks.end());
        assertEquals(Buffer.RECV.at(8, 8), blocks.in(Buffer.RECV, 1));
        assertEquals("3x8", blocks.toString());
    }

    @Test
    void shouldPlacePackedBlocksOneAfterTheOther() {
        final Blocks blocks = Blocks.packed(4, 0, 6);
        assertFalse(blocks.isUniform());
        assertEquals(Buffer.SEND.at(4, 0), blocks.in(Buffer.SEND, 1));
        assertEquals(Buffer.SEND.at(4, 6), blocks.in(Buffer.SEND, 2));
        assertEquals(10, blocks.total());
        assertEquals(10, blocks.end());
        assertEquals("[4, 0, 6]@[0, 4, 4]", blocks.toString());
    }

    @Test
    void shouldEndAfterTheFarthestBlockThatHasData() {
        assertEquals(13, Blocks.of(new long[] {3, 2, 0}, new long[] {10, 0, 100}).end());
        assertEquals(0, Blocks.of(new long[] {0}, new long[] {7}).end());
        assertEquals(0, Blocks.packed().end());
        assertEquals(5, Blocks.of(new long[] {3, 2, 0}, new long[] {10, 0, 100}).total());
    }

    @Test
    void shouldNotOverflowWithManyLargeBlocks() {
        assertEquals(3L << 40, Blocks.uniform(1 << 12, 3L << 28).total());
        assertEquals(3L << 39, Blocks.uniform(1 << 12, 3L << 28).offset(1 << 11));
    }

    @Test
    void shouldNotBeAffectedByLaterChangesOfTheArrays() {
        final long[] lengths = {1, 2};
        final long[] offsets = {5, 9};
        final Blocks blocks = Blocks.of(lengths, offsets);
        lengths[0] = 77;
        offsets[0] = 77;
        assertEquals(Buffer.RECV.at(5, 1), blocks.in(Buffer.RECV, 0));
    }

    @Test
    void shouldBeEqualWhenTheLayoutIsGivenAlike() {
        assertEquals(Blocks.packed(1, 2), Blocks.of(new long[] {1, 2}, new long[] {0, 1}));
        assertEquals(Blocks.packed(1, 2).hashCode(), Blocks.of(new long[] {1, 2}, new long[] {0, 1}).hashCode());
        assertEquals(Blocks.uniform(2, 3), Blocks.uniform(2, 3));
        assertNotEquals(Blocks.uniform(2, 3), Blocks.uniform(3, 2));
        assertNotEquals(Blocks.packed(1, 2), Blocks.packed(2, 1));
    }

    @Test
    void shouldRefuseInvalidLayouts() {
        assertEquals("blocks out of range: count=-1, bytes=4", message(() -> Blocks.uniform(-1, 4)));
        assertEquals("blocks out of range: count=1, bytes=-4", message(() -> Blocks.uniform(1, -4)));
        assertEquals("lengths and offsets differ in number: lengths=2, offsets=1", message(() -> Blocks.of(new long[2], new long[1])));
        assertEquals("block out of range: block=1, bytes=-1, offset=0", message(() -> Blocks.of(new long[] {0, -1}, new long[2])));
        assertEquals("block out of range: block=0, bytes=0, offset=-9", message(() -> Blocks.of(new long[1], new long[] {-9})));
    }

    @Test
    void shouldRefuseABlockOutOfRange() {
        final Blocks blocks = Blocks.uniform(3, 8);
        assertEquals("block out of range: block=3, blocks=3", assertThrows(IndexOutOfBoundsException.class, () -> blocks.offset(3)).getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> blocks.bytes(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> Blocks.packed(1).offset(1));
    }

    private static String message(final Runnable call) {
        return assertThrows(IllegalArgumentException.class, call::run).getMessage();
    }
}
