package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordedTask;
import tutti.coll.tck.RecordingPlan;

class TransfersTest {
    private final RecordingPlan plan = new RecordingPlan(0, 4, new Call.Bcast(16, 0));

    @Test
    void shouldPlanNothingForEmptyData() {
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange none = Buffer.RECV.at(4, 0);
        tasks.recv(none, 1);
        tasks.send(none, 2);
        tasks.copy(none, none);
        assertEquals(0, plan.tasks().size());
        tasks.send(Buffer.RECV.at(4, 1), 2);
        assertEquals(1, plan.tasks().size());
    }

    @Test
    void shouldLimitTheTransfersInProgress() {
        final Throttle two = new Throttle(2);
        for (int i = 0; i < 5; i++) {
            two.add(plan.send(Buffer.RECV.at(0, 16), 1, two.before()));
        }
        assertArrayEquals(new int[][] {{}, {}, {0}, {1}, {2}}, plan.tasks().stream().map(RecordedTask::after).toArray(int[][]::new));
    }

    @Test
    void shouldReuseSlotsInTurn() {
        final ScratchSlots slots = new ScratchSlots(plan, 2, 8);
        assertEquals(List.of(Buffer.SCRATCH.at(8, 4), Buffer.SCRATCH.at(0, 8), Buffer.SCRATCH.at(8, 8)),
            List.of(slots.next(4), slots.next(8), slots.next(8)));
    }
}
