package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class SegmentsTest {
    private static final long GIB = 1 << 30;

    @Test
    void shouldCutIntoSegmentsOfTheWantedLengthButTheLast() {
        final Segments segments = Segments.of(64, 150, 1, 2);
        final BufferRange data = Buffer.RECV.at(10, 150);
        assertEquals(3, segments.count());
        assertEquals(Buffer.RECV.at(10, 64), segments.of(data, 0));
        assertEquals(Buffer.RECV.at(138, 22), segments.of(data, 2));
        assertEquals(64, segments.longest(150));
        assertEquals(40, segments.longest(40));
    }

    @Test
    void shouldRoundToWholeElements() {
        assertEquals(60, Segments.of(64, 150, 12, 2).length());
        assertEquals(100, Segments.of(64, 1000, 100, 2).length());
    }

    @Test
    void shouldHaveNoSegmentsOfEmptyData() {
        assertEquals(0, Segments.of(64, 0, 8, 0).count());
    }

    @Test
    void shouldTakeLongerSegmentsWhereThereWouldBeTooMany() {
        assertEquals(Segments.MAX_SEGMENTS, Segments.of(64, GIB, 4, 2).count());
        assertEquals(Segments.MAX_MESSAGES / 100, Segments.of(64, GIB, 4, 100).count());
        assertEquals(1, Segments.of(64, GIB, 4, 100_000).count());
        assertEquals(0, Segments.of(64, GIB, 12, 2).length() % 12);
    }

    @Test
    void shouldKeepPlansOfManyRanksShort() {
        final int size = 4096;
        for (final TreeShape shape : new TreeShape[] {new KnomialTree(2), new KnomialTree(4), new KnomialTree(size), new KaryTree(2),
            new KaryTree(1000)}) {
            final Call.Allreduce call = new Call.Allreduce(new SymbolicReduction(8, true), GIB, false);
            final RecordingPlan plan = new RecordingPlan(0, size, call);
            new TreeAllreduce(shape, 64).plan(call, plan);
            assertTrue(plan.tasks().size() <= 3 * Math.max(Segments.MAX_MESSAGES, size), () -> shape + " " + plan.tasks().size());
        }
    }
}
