package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class DependencyTrackerTest {
    private static final SymbolicReduction OP = new SymbolicReduction(4, true);
    private static final BufferRange IN = Buffer.SEND.at(0, 16);
    private static final BufferRange OUT = Buffer.RECV.at(0, 16);

    private final RecordingPlan plan = new RecordingPlan(0, 4, new Call.Allreduce(OP, 4, false));
    private final DependencyTracker tracker = new DependencyTracker(plan);

    @Test
    void shouldNotOrderReaders() {
        tracker.send(IN, 1);
        tracker.send(IN, 2);
        tracker.copy(IN, OUT);
        assertAfter(0);
        assertAfter(1);
        assertAfter(2);
    }

    @Test
    void shouldPutAReaderAfterTheLastWriter() {
        tracker.recv(OUT, 1);
        tracker.recv(OUT, 2);
        tracker.send(OUT, 3);
        assertAfter(1, 0);
        assertAfter(2, 1);
    }

    @Test
    void shouldPutAWriterAfterTheReadersOfWhatItReplaces() {
        tracker.copy(IN, OUT);
        tracker.send(OUT, 1);
        tracker.send(OUT, 2);
        tracker.recv(OUT, 3);
        assertAfter(3, 2, 1);
    }

    @Test
    void shouldPutAReductionAfterBothOperands() {
        final BufferRange part = tracker.scratch(16);
        tracker.copy(IN, OUT);
        tracker.recv(part, 1);
        tracker.reduce(OP, part, OUT);
        assertAfter(2, 1, 0);
    }

    @Test
    void shouldNotOrderTasksOnMemorySideBySide() {
        tracker.recv(OUT.slice(0, 8), 1);
        tracker.recv(OUT.slice(8, 8), 2);
        tracker.send(OUT.slice(8, 8), 3);
        assertAfter(1);
        assertAfter(2, 1);
    }

    @Test
    void shouldPutAReaderAfterAllWhoWroteAPart() {
        tracker.recv(OUT.slice(0, 8), 1);
        tracker.recv(OUT.slice(8, 8), 2);
        tracker.send(OUT.slice(4, 8), 3);
        assertAfter(2, 1, 0);
    }

    @Test
    void shouldKeepWhatALaterWriterOnlyReplacedInPart() {
        tracker.recv(OUT, 1);
        tracker.recv(OUT.slice(0, 4), 2);
        tracker.send(OUT.slice(8, 4), 3);
        assertAfter(2, 0);
    }

    @Test
    void shouldPlanNothingForEmptyData() {
        tracker.recv(OUT.slice(4, 0), 1);
        tracker.send(OUT.slice(4, 0), 2);
        tracker.copy(IN.slice(0, 0), OUT.slice(0, 0));
        tracker.reduce(OP, IN.slice(0, 0), OUT.slice(0, 0));
        assertEquals(0, plan.tasks().size());
    }

    private void assertAfter(final int task, final int... expected) {
        assertArrayEquals(expected, plan.tasks().get(task).after(), () -> plan.tasks().toString());
        assertEquals(task, plan.tasks().get(task).id());
    }
}
