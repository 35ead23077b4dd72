package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;

class RecordingPlanTest {
    private static final SymbolicReduction OP = new SymbolicReduction(4, true);
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);

    private final RecordingPlan plan = new RecordingPlan(1, 3, new Call.Allreduce(OP, 2, false));

    @Test
    void shouldRefuseAPeerOutOfRange() {
        assertRefused("peer out of range: peer=3, size=3", () -> plan.send(DATA, 3));
        assertRefused("peer out of range: peer=-1, size=3", () -> plan.recv(DATA, -1));
    }

    @Test
    void shouldRefuseASpanOutOfRange() {
        assertRefused("span out of range: span=RECV[4..12), send=8, recv=8, scratch=[]", () -> plan.recv(Buffer.RECV.at(4, 8), 0));
        assertRefused("span out of range: span=SCRATCH[0..1), send=8, recv=8, scratch=[]", () -> plan.recv(Buffer.SCRATCH.at(0, 1), 0));
    }

    @Test
    void shouldRefuseASpanAcrossTwoReservations() {
        plan.scratch(4);
        plan.scratch(4);
        assertRefused("span out of range: span=SCRATCH[2..6), send=8, recv=8, scratch=[SCRATCH[0..4), SCRATCH[64..68)]",
            () -> plan.recv(Buffer.SCRATCH.at(2, 4), 0));
    }

    @Test
    void shouldRefuseABufferThatIsAbsent() {
        final RecordingPlan inPlace = new RecordingPlan(0, 3, new Call.Allreduce(OP, 2, true));
        assertRefused("span out of range: span=SEND[0..0), send=0, recv=8, scratch=[]", () -> inPlace.send(Buffer.SEND.at(0, 0), 1));
        final RecordingPlan root = new RecordingPlan(0, 3, new Call.Scatter(Blocks.uniform(3, 8), 8, 0, true));
        assertRefused("span out of range: span=RECV[0..8), send=24, recv=0, scratch=[]", () -> root.copy(Buffer.SEND.at(0, 8), DATA));
    }

    @Test
    void shouldRefuseAnUnknownTask() {
        assertRefused("no such task: after=0, tasks=0", () -> plan.send(DATA, 0, 0));
    }

    @Test
    void shouldRefuseSpansThatDoNotFitTogether() {
        assertRefused("lengths differ: from=SEND[0..8), into=RECV[0..4)", () -> plan.copy(Buffer.SEND.at(0, 8), DATA.slice(0, 4)));
        assertRefused("spans overlap: from=RECV[0..4), into=RECV[2..6)", () -> plan.copy(DATA.slice(0, 4), DATA.slice(2, 4)));
        assertRefused("not whole elements: bytes=6, element=4", () -> plan.reduce(OP, Buffer.SEND.at(0, 6), DATA.slice(0, 6)));
    }

    @Test
    void shouldOrderTasksAroundAFence() {
        final int first = plan.recv(DATA, 0);
        final int fence = plan.fence();
        final int second = plan.send(DATA, 0);
        final int third = plan.send(DATA, 2, second);
        final int end = plan.fence();
        assertArrayEquals(new int[] {first}, plan.tasks().get(fence).after());
        assertArrayEquals(new int[] {fence}, plan.tasks().get(second).after());
        assertArrayEquals(new int[] {second, fence}, plan.tasks().get(third).after());
        assertArrayEquals(new int[] {fence, second, third}, plan.tasks().get(end).after());
    }

    @Test
    void shouldSetReservationsApart() {
        assertEquals(Buffer.SCRATCH.at(0, 8), plan.scratch(8));
        assertEquals(Buffer.SCRATCH.at(64, 4), plan.scratch(4));
        assertEquals(12, plan.scratchBytes());
    }

    private static void assertRefused(final String message, final Executable call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }
}
