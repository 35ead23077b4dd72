package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;

class CyclicRangeTest {
    @Test
    void shouldBeOneSegmentIfBlocksAreAdjacent() {
        final CyclicRange range = new CyclicRange(Blocks.packed(3, 0, 4, 5), 0, 3);
        assertEquals(7, range.bytes());
        assertEquals(List.of(new CyclicRange.Segment(0, Buffer.RECV.at(0, 7))), range.segments(Buffer.RECV));
    }

    @Test
    void shouldBeTwoSegmentsIfItWrapsAround() {
        final CyclicRange range = new CyclicRange(Blocks.uniform(4, 10), 3, 2);
        assertEquals(List.of(new CyclicRange.Segment(0, Buffer.RECV.at(30, 10)), new CyclicRange.Segment(10, Buffer.RECV.at(0, 10))),
            range.segments(Buffer.RECV));
    }

    @Test
    void shouldBeTwoSegmentsIfBlocksHaveGaps() {
        final CyclicRange range = new CyclicRange(Blocks.of(new long[] {2, 2, 2}, new long[] {0, 2, 5}), 0, 3);
        assertEquals(List.of(new CyclicRange.Segment(0, Buffer.RECV.at(0, 4)), new CyclicRange.Segment(4, Buffer.RECV.at(5, 2))),
            range.segments(Buffer.RECV));
    }

    @Test
    void shouldHaveNoSegmentWithoutData() {
        assertEquals(List.of(), new CyclicRange(Blocks.uniform(3, 0), 1, 3).segments(Buffer.RECV));
    }

    @Test
    void shouldDivideUniformBlocksAsOthersForAllSizes() {
        for (int size = 1; size <= 9; size++) {
            final long[] lengths = new long[size];
            Arrays.fill(lengths, 8);
            for (int first = 0; first < size; first++) {
                for (int length = 0; length <= size; length++) {
                    final CyclicRange uniform = new CyclicRange(Blocks.uniform(size, 8), first, length);
                    final CyclicRange packed = new CyclicRange(Blocks.packed(lengths), first, length);
                    assertEquals(packed.bytes(), uniform.bytes());
                    assertEquals(packed.segments(Buffer.SEND), uniform.segments(Buffer.SEND));
                }
            }
        }
    }
}
