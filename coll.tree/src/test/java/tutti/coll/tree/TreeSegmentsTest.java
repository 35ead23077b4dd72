package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class TreeSegmentsTest {
    private static final long GIB = 1 << 30;

    @Test
    void shouldTakeLongerSegmentsWhereThereWouldBeTooMany() {
        assertEquals(TreeSegments.MAX_SEGMENTS, TreeSegments.of(64, GIB, 4, 2).count(GIB));
        assertEquals(TreeSegments.MAX_MESSAGES / 100, TreeSegments.of(64, GIB, 4, 100).count(GIB));
        assertEquals(1, TreeSegments.of(64, GIB, 4, 100_000).count(GIB));
        assertEquals(0, TreeSegments.of(64, GIB, 12, 2).length() % 12);
    }

    @Test
    void shouldKeepPlansOfManyRanksShort() {
        final int size = 4096;
        for (final TreeShape shape : new TreeShape[] {new KnomialTree(2), new KnomialTree(4), new KnomialTree(size), new KaryTree(2),
            new KaryTree(1000)}) {
            final Call.Allreduce call = new Call.Allreduce(new SymbolicReduction(8, true), GIB, false);
            final RecordingPlan plan = new RecordingPlan(0, size, call);
            new TreeAllreduce(shape, 64).plan(call, plan);
            assertTrue(plan.tasks().size() <= 3 * Math.max(TreeSegments.MAX_MESSAGES, size), () -> shape + " " + plan.tasks().size());
        }
    }
}
