package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;

class PlanBuilderTest {
    private static final BoundReduction SUM = Op.SUM.bind(Datatype.LONG);

    private final PlanBuilder plan = new PlanBuilder(new Call.Allreduce(SUM, 4, false), 1, 3, false, 3, PlanContext.NONE);

    private static void refused(final String message, final Executable task) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, task).getMessage());
    }

    @Test
    void shouldRefuseInvalidTasks() {
        final BufferRange recv = Buffer.RECV.at(0, 32);
        refused("peer out of range: peer=3, ranks=3", () -> plan.send(recv, 3));
        refused("peer out of range: peer=-1, ranks=3", () -> plan.recv(recv, -1));
        refused("no such task: after=0, tasks=0", () -> plan.send(recv, 0, 0));
        refused("the send buffer is read only: into=SEND[0..32)", () -> plan.recv(Buffer.SEND.at(0, 32), 0));
        refused("span out of range: span=RECV[8..40), bytes=32", () -> plan.recv(Buffer.RECV.at(8, 32), 0));
        refused("span out of range: span=SCRATCH[0..8), bytes=0", () -> plan.recv(Buffer.SCRATCH.at(0, 8), 0));
        refused("spans of different length: from=SEND[0..16), into=RECV[0..32)", () -> plan.copy(Buffer.SEND.at(0, 16), recv));
        refused("spans overlap: from=RECV[0..16), into=RECV[8..24)", () -> plan.copy(Buffer.RECV.at(0, 16), Buffer.RECV.at(8, 16)));
        refused("not a multiple of the element: bytes=12, element=8",
            () -> plan.reduce(SUM, Buffer.SEND.at(0, 12), Buffer.RECV.at(0, 12)));
        assertEquals(0, plan.freeze().tasks());
    }

    @Test
    void shouldCountMessagesPerPeerWhateverTheirOrderOfRunning() {
        plan.send(Buffer.SEND.at(0, 8), 0);
        plan.send(Buffer.SEND.at(0, 8), 2);
        plan.send(Buffer.SEND.at(8, 8), 0);
        plan.recv(Buffer.RECV.at(0, 8), 0);
        assertArrayEquals(new int[] {0, 0, 1, 0}, plan.freeze().ordinal);
    }

    @Test
    void shouldOrderAllAfterAFenceBehindAllBeforeIt() {
        final int a = plan.send(Buffer.SEND.at(0, 8), 0);
        final int b = plan.recv(Buffer.RECV.at(0, 8), 2, a);
        final int c = plan.send(Buffer.SEND.at(0, 8), 2);
        final int fence = plan.fence();
        final int d = plan.send(Buffer.SEND.at(0, 8), 0);
        final Schedule s = plan.freeze();
        assertArrayEquals(new int[] {a, c}, s.roots);
        assertArrayEquals(new int[] {0, 1, 0, 2, 1}, s.dependencies);
        assertArrayEquals(new int[] {b, fence, fence, d}, s.successors);
    }

    @Test
    void shouldKeepScratchReservationsApart() {
        final BufferRange first = plan.scratch(10);
        final BufferRange second = plan.scratch(100);
        assertEquals(10, first.bytes());
        assertEquals(64, second.offset());
        assertEquals(192, plan.freeze().scratchBytes());
    }

    /** Ranks 0 and 1 are on one node. */
    private static final PlanContext PAIR = new PlanContext() {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            throw new IllegalArgumentException("none");
        }

        @Override
        public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan nested) {
            throw new IllegalStateException("none");
        }

        @Override
        public boolean areOnSameNode(final int one, final int other) {
            return one < 2 && other < 2;
        }
    };

    private static PlanBuilder sharing(final int rank) {
        return new PlanBuilder(new Call.Allreduce(SUM, 4, false), rank, 3, false, 3, PAIR);
    }

    @Test
    void shouldRefuseToShareMemoryWithAnotherNode() {
        final PlanBuilder self = sharing(1);
        final BufferRange recv = Buffer.RECV.at(0, 32);
        refused("peer on another node: peer=2, rank=1", () -> self.await(2, 0));
        refused("peer on another node: peer=2, rank=1", () -> self.get(2, recv, recv));
        refused("a rank does not await or read itself: peer=1", () -> self.reduce(SUM, 1, recv, recv));
        refused("peer out of range: peer=-1, ranks=3", () -> self.await(-1, 0));
        refused("post out of range: post=-1", () -> self.await(0, -1));
        refused("the send buffer is read only: into=SEND[0..32)", () -> self.get(0, recv, Buffer.SEND.at(0, 32)));
        refused("spans of different length: from=RECV[0..32), into=RECV[0..8)", () -> self.get(0, recv, Buffer.RECV.at(0, 8)));
        refused("not a multiple of the element: bytes=12, element=8",
            () -> self.reduce(SUM, 0, Buffer.RECV.at(0, 12), Buffer.RECV.at(0, 12)));
        final PlanBuilder inter = new PlanBuilder(new Call.Barrier(), 0, 2, true, 2, PAIR);
        refused("the ranks of an intercommunicator share no memory: nest a collective on the local group", inter::post);
        assertEquals(0, self.freeze().tasks());
        assertNull(self.freeze().shared);
    }

    @Test
    void shouldRefuseMoreNestedCollectivesThanTasksCanName() {
        final PlanBuilder self = sharing(1);
        for (int i = 1; i < Short.MAX_VALUE; i++) {
            self.segments.begin(0, null, null, 0);
        }
        final int last = self.segments.begin(0, null, null, 0);
        self.reduce(SUM, last, 0, Buffer.SEND.at(0, 8), Buffer.RECV.at(0, 8));
        final int oneMore = self.segments.begin(0, null, null, 0);
        refused("too many nested collectives in a plan: max=32768",
            () -> self.reduce(SUM, oneMore, 0, Buffer.SEND.at(0, 8), Buffer.RECV.at(0, 8)));
    }

    @Test
    void shouldCountPostsAndMakeThemInTheOrderOfPlanning() {
        final PlanBuilder self = sharing(1);
        self.post();
        self.await(0, 7);
        self.post();
        self.post(1);
        final Schedule s = self.freeze();
        assertArrayEquals(new int[] {0, 7, 1, 2}, s.ordinal);
        assertArrayEquals(new int[] {0, 0, 1, 2}, s.dependencies);
        assertEquals(3, s.segments[0].posts());
        assertArrayEquals(new boolean[] {true}, s.shared);
    }

    @Test
    void shouldFindAwaitsAndReadsThatThePeerDoesNotServe() {
        final PlanBuilder self = sharing(1);
        final PlanBuilder peer = sharing(0);
        peer.post();
        self.await(0, 0);
        self.get(0, Buffer.RECV.at(24, 8), Buffer.RECV.at(0, 8));
        assertTrue(self.hasTraffic(0));
        assertNull(PairTraffic.mismatch(self, peer));
        self.await(0, 1);
        assertEquals("rank 1 awaits post 1 of rank 0, which makes 1", PairTraffic.mismatch(self, peer));
        peer.post();
        assertNull(PairTraffic.mismatch(self, peer));
        self.get(0, Buffer.RECV.at(32, 8), Buffer.RECV.at(0, 8));
        assertEquals("rank 1 reads RECV[32..40) of rank 0, which has 32 bytes", PairTraffic.mismatch(peer, self));
    }
}
