package tutti.coll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class BufferRangeTest {
    private final BufferRange range = Buffer.SCRATCH.at(10, 20);

    @Test
    void shouldReachFromOffsetToEnd() {
        assertEquals(30, range.end());
        assertEquals("SCRATCH[10..30)", range.toString());
    }

    @Test
    void shouldReturnSlicesRelativeToItsStart() {
        assertEquals(Buffer.SCRATCH.at(15, 15), range.slice(5, 15));
        assertEquals(Buffer.SCRATCH.at(30, 0), range.slice(20, 0));
    }

    @Test
    void shouldRefuseASliceOutOfRange() {
        assertEquals("slice out of range: offset=5, bytes=16, range=SCRATCH[10..30)",
            assertThrows(IllegalArgumentException.class, () -> range.slice(5, 16)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> range.slice(-1, 1));
        assertThrows(IllegalArgumentException.class, () -> range.slice(0, -1));
    }

    @Test
    void shouldRefuseNegativeOrOverflowingRanges() {
        assertEquals("range out of bounds: buffer=RECV, offset=-1, bytes=0",
            assertThrows(IllegalArgumentException.class, () -> Buffer.RECV.at(-1, 0)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> Buffer.RECV.at(0, -1));
        assertThrows(IllegalArgumentException.class, () -> Buffer.RECV.at(Long.MAX_VALUE, 1));
    }
}
