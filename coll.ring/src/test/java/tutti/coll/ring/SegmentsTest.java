package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class SegmentsTest {
    private static final long MIB = 1 << 20;

    @Test
    void shouldCutIntoSegmentsOfTheWantedLengthButTheLast() {
        final Segments segments = Segments.of(64, 150, 1);
        final BufferRange block = Buffer.RECV.at(10, 150);
        assertEquals(3, segments.count(150));
        assertEquals(Buffer.RECV.at(10, 64), segments.of(block, 0));
        assertEquals(Buffer.RECV.at(138, 22), segments.of(block, 2));
    }

    @Test
    void shouldRoundToWholeElements() {
        assertEquals(60, Segments.of(64, 150, 12).length());
        assertEquals(100, Segments.of(64, 1000, 100).length());
    }

    @Test
    void shouldHaveNoSegmentsOfEmptyData() {
        assertEquals(0, Segments.of(64, 0, 8).count(0));
    }

    @Test
    void shouldTakeLongerSegmentsWhereThereWouldBeTooMany() {
        final Segments segments = Segments.of(64, 1000 * MIB, 12);
        assertTrue(segments.count(1000 * MIB) <= Segments.MAX_PER_BLOCK);
        assertEquals(0, segments.length() % 12);
    }

    @Test
    void shouldBoundTheSegmentsOfAllBlocksTogether() {
        assertEquals(Segments.MAX_PER_BLOCK, Segments.of(64, Blocks.uniform(3, MIB), 4).count(MIB));
        assertEquals(16, Segments.of(64, Blocks.uniform(1024, MIB), 4).count(MIB));
        assertEquals(1, Segments.of(64, Blocks.uniform(100_000, MIB), 4).count(MIB));
    }

    @Test
    void shouldCutAllBlocksByTheLengthThatSuitsTheLongest() {
        final Segments segments = Segments.of(64, Blocks.packed(100, 256 * 1000, 0), 4);
        assertEquals(1000, segments.length());
        assertEquals(1, segments.count(100));
    }

    /** 2(p-1) times 16 segments, each received, combined or passed on. */
    @Test
    void shouldKeepPlansOfManyRanksShort() {
        final int size = 1024;
        final RecordingPlan plan = new RecordingPlan(5, size, new Call.Allreduce(new SymbolicReduction(8, true), size * MIB, false));
        new RingAllreduce(64, RingOrder.BY_RANK).plan(new Call.Allreduce(new SymbolicReduction(8, true), size * MIB, false), plan);
        assertEquals((size - 1) * 16 * 5, plan.tasks().size());
    }
}
