package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;

class CyclicRangeTest {
    private static final Blocks BLOCKS = Blocks.uniform(5, 8);

    @Test
    void shouldBeOneRangeWhenItDoesNotWrapAround() {
        final CyclicRange range = new CyclicRange(2, 3, 5);
        assertEquals(3, range.head());
        assertEquals(0, range.tail());
        assertEquals(Buffer.RECV.at(16, 24), range.headOf(Buffer.RECV, BLOCKS));
        assertEquals(0, range.tailOf(Buffer.RECV, BLOCKS).bytes());
    }

    @Test
    void shouldBeTwoRangesWhenItWrapsAround() {
        final CyclicRange range = new CyclicRange(4, 3, 5);
        assertEquals(Buffer.SEND.at(32, 8), range.headOf(Buffer.SEND, BLOCKS));
        assertEquals(Buffer.SEND.at(0, 16), range.tailOf(Buffer.SEND, BLOCKS));
    }

    @Test
    void shouldCoverItsLengthForAllSizes() {
        for (int size = 1; size <= 17; size++) {
            for (int first = 0; first < size; first++) {
                for (int length = 0; length <= size; length++) {
                    final CyclicRange range = new CyclicRange(first, length, size);
                    assertEquals(length, range.head() + range.tail());
                    assertEquals(Math.max(0, first + length - size), range.tail());
                }
            }
        }
    }
}
