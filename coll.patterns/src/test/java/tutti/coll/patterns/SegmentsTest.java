package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

class SegmentsTest {
    private static final int MOST = 256;
    private static final long GIB = 1 << 30;

    @Test
    void shouldCutIntoSegmentsOfTheWantedLengthButTheLast() {
        final Segments segments = Segments.of(64, 150, 1, MOST);
        final BufferRange block = Buffer.RECV.at(10, 150);
        assertEquals(3, segments.count(150));
        assertEquals(Buffer.RECV.at(10, 64), segments.of(block, 0));
        assertEquals(Buffer.RECV.at(138, 22), segments.of(block, 2));
        assertEquals(22, segments.bytes(150, 2));
        assertEquals(64, segments.longest(150));
        assertEquals(40, segments.longest(40));
    }

    @Test
    void shouldRoundToWholeElements() {
        assertEquals(60, Segments.of(64, 150, 12, MOST).length());
        assertEquals(100, Segments.of(64, 1000, 100, MOST).length());
    }

    @Test
    void shouldHaveNoSegmentsOfEmptyData() {
        assertEquals(0, Segments.of(64, 0, 8, MOST).count(0));
    }

    @Test
    void shouldTakeLongerSegmentsWhereThereWouldBeTooMany() {
        assertEquals(MOST, Segments.of(64, GIB, 4, MOST).count(GIB));
        assertEquals(1, Segments.of(64, GIB, 4, 1).count(GIB));
        final Segments segments = Segments.of(64, GIB, 12, MOST);
        assertTrue(segments.count(GIB) <= MOST);
        assertEquals(0, segments.length() % 12);
    }
}
