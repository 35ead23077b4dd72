package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.plan.TaskKind;

class RecordingPlanTest {
    private static final SymbolicReduction OP = new SymbolicReduction(4, true);
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);

    private final RecordingPlan plan = new RecordingPlan(1, 3, new Call.Allreduce(OP, 2, false));

    @Test
    void shouldKeepTasksWithAllTheirPredecessors() {
        final Task first = plan.recv(DATA, 0);
        plan.fence();
        plan.reduce(OP, Buffer.SEND.at(0, 8), DATA, first);
        final RecordedTask task = plan.tasks().get(2);
        assertEquals(TaskKind.REDUCE, task.kind());
        assertEquals(OP, task.reduction());
        assertArrayEquals(new int[] {1, 0}, task.after());
    }

    @Test
    void shouldSumReservations() {
        plan.scratch(8);
        plan.scratch(4);
        assertEquals(12, plan.scratchBytes());
    }

    /** The runtime does not run a reduction that a module made either. */
    @Test
    void shouldRefuseAReductionThatTheCallDoesNotHave() {
        final Reduction foreign = new Reduction() {
            @Override
            public long elementBytes() {
                return 4;
            }

            @Override
            public boolean isCommutative() {
                return true;
            }

            @Override
            public boolean isPredefined() {
                return true;
            }
        };
        assertThrows(IllegalArgumentException.class, () -> plan.reduce(foreign, Buffer.SEND.at(0, 8), DATA));
        assertEquals(0, plan.tasks().size());
    }
}
