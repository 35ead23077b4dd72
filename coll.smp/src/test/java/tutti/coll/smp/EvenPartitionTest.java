package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;

class EvenPartitionTest {
    @Test
    void shouldCutIntoBlocksOfWholeElementsThatDifferByOneAtMost() {
        final EvenPartition partition = new EvenPartition(44, 4, 4);
        assertEquals(Buffer.RECV.at(0, 12), partition.of(Buffer.RECV.at(0, 44), 0));
        assertEquals(Buffer.RECV.at(24, 12), partition.of(Buffer.RECV.at(0, 44), 2));
        assertEquals(Buffer.RECV.at(36, 8), partition.of(Buffer.RECV.at(0, 44), 3));
        assertEquals(0, new EvenPartition(8, 4, 3).bytes(2));
    }

    @Test
    void shouldCutIntoALimitedNumberOfSegmentsOfWholeElements() {
        final Segments segments = Segments.of(10, 44, 4);
        assertEquals(6, segments.count());
        assertEquals(Buffer.SEND.at(40, 4), segments.of(Buffer.SEND.at(0, 44), 5));
        assertEquals(Segments.MAX_COUNT, Segments.of(64, 1L << 30, 8).count());
        assertEquals(0, Segments.of(64, 0, 8).count());
    }
}
