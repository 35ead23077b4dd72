package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.patterns.Segments;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class RingSegmentsTest {
    private static final long MIB = 1 << 20;

    @Test
    void shouldBoundTheSegmentsOfAllBlocksTogether() {
        assertEquals(RingSegments.MAX_PER_BLOCK, RingSegments.of(64, Blocks.uniform(3, MIB), 4).count(MIB));
        assertEquals(16, RingSegments.of(64, Blocks.uniform(1024, MIB), 4).count(MIB));
        assertEquals(1, RingSegments.of(64, Blocks.uniform(100_000, MIB), 4).count(MIB));
    }

    @Test
    void shouldCutAllBlocksByTheLengthThatSuitsTheLongest() {
        final Segments segments = RingSegments.of(64, Blocks.packed(100, 256 * 1000, 0), 4);
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
