package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Task;

class PlanCheckerTest {
    private static final SymbolicReduction ORDERED = new SymbolicReduction(4, false);
    private static final SymbolicReduction COMMUTING = new SymbolicReduction(4, true);
    private static final String SOUND = "sound";
    private static final BufferRange DATA = Buffer.RECV.at(0, 8);

    @Test
    void shouldAcceptASoundAlgorithm() {
        assertFound(SOUND, Operation.BCAST, (call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(DATA, 1);
            } else {
                plan.recv(DATA, 0);
            }
        }, new Call.Bcast(8, 0));
    }

    @Test
    void shouldNameOperationAlgorithmRankTaskAndPeerOfASwappedPeer() {
        assertFound("bcast/own: no match for message 0 (SEND RECV[0..8) after []): size=2, rank=0, task=0, peer=0, call=Bcast[bytes=8, root=0]",
            Operation.BCAST, (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.send(DATA, 0);
                } else {
                    plan.recv(DATA, 0);
                }
            }, new Call.Bcast(8, 0));
    }

    @Test
    void shouldFindAReceiveWithoutASend() {
        assertFound("bcast/own: no match for message 0 (RECV into RECV[0..8) after []): size=2, rank=1, task=0, peer=0, "
            + "call=Bcast[bytes=8, root=0]", Operation.BCAST, (call, plan) -> {
                if (plan.rank() == 1) {
                    plan.recv(DATA, 0);
                }
            }, new Call.Bcast(8, 0));
    }

    @Test
    void shouldFindLengthsThatDiffer() {
        assertFound("bcast/own: lengths differ: here=8, there=4, peer's task=0 (SEND RECV[0..8) after []): size=2, rank=0, task=0, peer=1, "
            + "call=Bcast[bytes=8, root=0]", Operation.BCAST, (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.send(DATA, 1);
                } else {
                    plan.recv(DATA.slice(0, 4), 0);
                }
            }, new Call.Bcast(8, 0));
    }

    @Test
    void shouldFindAnExchangeInPlaceWithoutOtherMemory() {
        final Call.Alltoall call = new Call.Alltoall(Blocks.uniform(2, 4), Blocks.uniform(2, 4), true);
        assertFound("alltoall/own: deadlock without eager delivery, each waits for the next: rank 0 task 0, rank 1 task 0 "
            + "(SEND RECV[4..8) after []): size=2, rank=0, task=0, peer=1, call=" + call, Operation.ALLTOALL, (c, plan) -> {
                final int other = 1 - plan.rank();
                plan.send(c.recv().in(Buffer.RECV, other), other);
                plan.recv(c.recv().in(Buffer.RECV, other), other);
            }, call);
    }

    @Test
    void shouldFindRelianceOnEagerDelivery() {
        assertFound("allgather/own: deadlock without eager delivery, each waits for the next: rank 0 task 0, rank 1 task 0 "
            + "(SEND SEND[0..4) after []): size=2, rank=0, task=0, peer=1, "
            + "call=Allgather[sendBytes=4, recv=2x4, inPlace=false]", Operation.ALLGATHER, (call, plan) -> {
                final int other = 1 - plan.rank();
                final Task sent = plan.send(call.input(plan.rank()), other);
                plan.recv(call.recv().in(Buffer.RECV, other), other, sent);
                plan.copy(call.input(plan.rank()), call.recv().in(Buffer.RECV, plan.rank()));
            }, new Call.Allgather(4, Blocks.uniform(2, 4), false));
    }

    @Test
    void shouldFindDataAtTheWrongOffset() {
        assertFound("scatter/own: wrong result: want=ranks 0 to 0 from byte 4 at RECV[0..4), found=0 from byte 3: size=2, rank=1, task=0, peer=0, "
            + "call=Scatter[send=2x4, recvBytes=4, root=0, inPlace=false]", Operation.SCATTER, (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.send(Buffer.SEND.at(3, 4), 1);
                    plan.copy(Buffer.SEND.at(0, 4), Buffer.RECV.at(0, 4));
                } else {
                    plan.recv(Buffer.RECV.at(0, 4), 0);
                }
            }, new Call.Scatter(Blocks.uniform(2, 4), 4, 0, false));
    }

    @Test
    void shouldFindATaskThatWasLeftOut() {
        assertFound("reduce/own: wrong result: want=ranks 0 to 0 from byte 0 at RECV[0..8), found=untouched from byte 0: size=1, rank=0, "
            + "call=" + reduceCall(ORDERED), Operation.REDUCE, 1, (call, plan) -> {}, reduceCall(ORDERED));
    }

    @Test
    void shouldFindOperandsOutOfOrder() {
        assertFound("allreduce/own: wrong result: want=ranks 0 to 1 from byte 0 at RECV[0..8), found=(1 0) from byte 0: size=2, rank=0, task=3, "
            + "peer=1, "
            + "call=" + allreduceCall(ORDERED), Operation.ALLREDUCE, PlanCheckerTest::combineReceivedFirst, allreduceCall(ORDERED));
    }

    @Test
    void shouldAcceptSwappedOperandsWhereTheyCommute() {
        assertFound(SOUND, Operation.ALLREDUCE, PlanCheckerTest::combineReceivedFirst, allreduceCall(COMMUTING));
    }

    @Test
    void shouldFindBracketsThatDifferBetweenRanks() {
        final String start = "allreduce/own: bits may differ: here=";
        assertEquals(start, PlanChecker.check(Operation.ALLREDUCE, "own", PlanCheckerTest::combineAroundTheRing,
            Collections.nCopies(3, allreduceCall(COMMUTING))).orElseThrow().toString().substring(0, start.length()));
    }

    @Test
    void shouldFindAContributionThatCountsTwice() {
        assertFound("allreduce/own: wrong result: want=ranks 0 to 0 from byte 0 at RECV[0..8), found=(0 0) from byte 0: size=1, rank=0, task=1, "
            + "call=" + allreduceCall(COMMUTING), Operation.ALLREDUCE, 1, (call, plan) -> {
                plan.copy(call.input(), DATA);
                plan.reduce(call.reduction(), call.input(), DATA);
            }, allreduceCall(COMMUTING));
    }

    @Test
    void shouldFindMemoryThatIsNotDefined() {
        assertFound("allreduce/own: reduces data that is not a contribution: low=TermRange[offset=0, bytes=8, term=0, position=0], high="
            + "TermRange[offset=0, bytes=8, term=untouched, position=0] (REDUCE SEND[0..8) into RECV[0..8) after []): size=1, rank=0, task=0, call="
            + allreduceCall(COMMUTING), Operation.ALLREDUCE, 1, (call, plan) -> plan.reduce(call.reduction(), call.input(), DATA),
            allreduceCall(COMMUTING));
    }

    @Test
    void shouldFindElementsThatDoNotBelongTogether() {
        assertFound("allreduce/own: reduces different elements: low=TermRange[offset=0, bytes=4, term=0, position=4], high="
            + "TermRange[offset=0, bytes=4, term=0, position=0] (REDUCE SEND[4..8) into RECV[0..4) after [0]): size=1, rank=0, task=1, call="
            + allreduceCall(COMMUTING), Operation.ALLREDUCE, 1,
            (call, plan) -> {
                plan.copy(call.input(), DATA);
                plan.reduce(call.reduction(), Buffer.SEND.at(4, 4), Buffer.RECV.at(0, 4));
            }, allreduceCall(COMMUTING));
    }

    @Test
    void shouldFindAWriteToTheSendBuffer() {
        assertFound("allreduce/own: planning failed: java.lang.IllegalArgumentException: the send buffer is read only: into=SEND[0..8): "
            + "size=1, rank=0, task=0, call="
            + allreduceCall(ORDERED), Operation.ALLREDUCE, 1, (call, plan) -> plan.copy(DATA, call.input()), allreduceCall(ORDERED));
    }

    @Test
    void shouldFindAWriteBetweenBlocks() {
        final Call.Allgather call = new Call.Allgather(2, Blocks.of(new long[] {2}, new long[] {1}), false);
        assertFound("allgatherv/own: writes where no result belongs: want=[TermRange[offset=0, bytes=1, term=untouched, position=0], "
            + "TermRange[offset=1, bytes=2, term=0, position=0]], found=[TermRange[offset=0, bytes=1, term=0, position=1], "
            + "TermRange[offset=1, bytes=2, term=0, position=0]]: size=1, rank=0, task=1, call=" + call, Operation.ALLGATHERV, 1, (c, plan) -> {
                plan.copy(Buffer.SEND.at(0, 2), Buffer.RECV.at(1, 2));
                plan.copy(Buffer.SEND.at(1, 1), Buffer.RECV.at(0, 1));
            }, call);
    }

    @Test
    void shouldFindABarrierThatLetsARankGoEarly() {
        assertFound("barrier/own: may be done before the peer has begun: size=2, rank=0, peer=1, call=Barrier[]", Operation.BARRIER, (call, plan) -> {
            if (plan.rank() == 0) {
                plan.send(plan.scratch(0), 1);
            } else {
                plan.recv(plan.scratch(0), 0);
            }
        }, new Call.Barrier());
    }

    /** In a ring of one or two ranks both neighbors are the same rank: a message to the left neighbor is received from the right one. */
    @Test
    void shouldFindNeighboursWhoseMessagesMeetInTheWrongOrder() {
        final Neighbors other = Neighbors.of(new int[] {0}, new int[] {0});
        final Blocks two = Blocks.uniform(2, 4);
        final Call.NeighborAlltoall loop = new Call.NeighborAlltoall(Neighbors.of(new int[] {0, 0}, new int[] {0, 0}), two, two);
        assertFound("neighbor_alltoall/own: wrong result: want=ranks 0 to 0 from byte 0 at RECV[0..4), found=0 from byte 4: size=1, rank=0, task=1, "
            + "call=" + loop, Operation.NEIGHBOR_ALLTOALL, 1, (call, plan) -> {
                plan.copy(Buffer.SEND.at(0, 4), Buffer.RECV.at(4, 4));
                plan.copy(Buffer.SEND.at(4, 4), Buffer.RECV.at(0, 4));
            }, loop);
        final Call.NeighborAllgather gather = new Call.NeighborAllgather(other, 4, Blocks.uniform(1, 4));
        assertFound(SOUND, Operation.NEIGHBOR_ALLGATHER, 1, (call, plan) -> plan.copy(Buffer.SEND.at(0, 4), Buffer.RECV.at(0, 4)), gather);
    }

    @Test
    void shouldFindAWriteToTheBlockOfProcNull() {
        final Call.NeighborAllgather call = new Call.NeighborAllgather(Neighbors.of(new int[] {Call.PROC_NULL}, new int[0]), 2, Blocks.uniform(1, 2));
        assertFound("neighbor_allgather/own: writes where no result belongs: want=[TermRange[offset=0, bytes=2, term=untouched, position=0]], "
            + "found=[TermRange[offset=0, bytes=2, term=0, position=0]]: size=1, rank=0, task=0, call=" + call, Operation.NEIGHBOR_ALLGATHER, 1,
            (c, plan) -> plan.copy(Buffer.SEND.at(0, 2), Buffer.RECV.at(0, 2)), call);
    }

    @Test
    void shouldReportWhatPlanningThrows() {
        assertFound("bcast/own: planning failed: java.lang.IllegalArgumentException: peer out of range: peer=2, ranks=2: size=2, rank=0, task=1, "
            + "call=Bcast[bytes=8, root=0]", Operation.BCAST, (call, plan) -> {
                plan.send(DATA, 1);
                plan.send(DATA, 2);
            }, new Call.Bcast(8, 0));
    }

    private static void combineReceivedFirst(final Call.Allreduce call, final Plan plan) {
        final int other = 1 - plan.rank();
        plan.send(call.input(), other);
        plan.copy(call.input(), DATA);
        final BufferRange received = plan.scratch(8);
        plan.recv(received, other);
        plan.reduce(call.reduction(), received, DATA);
    }

    /** Each rank starts with its own contribution, then combines those of its left neighbors: the same operands with other brackets on every rank. */
    private static void combineAroundTheRing(final Call.Allreduce call, final Plan plan) {
        final int size = plan.size();
        plan.copy(call.input(), DATA);
        for (int i = 1; i < size; i++) {
            final BufferRange received = plan.scratch(8);
            plan.send(call.input(), (plan.rank() + i) % size);
            plan.recv(received, (plan.rank() + size - i) % size);
            plan.reduce(call.reduction(), received, DATA);
        }
    }

    private static Call.Reduce reduceCall(final SymbolicReduction op) {
        return new Call.Reduce(op, 2, 0, false);
    }

    private static Call.Allreduce allreduceCall(final SymbolicReduction op) {
        return new Call.Allreduce(op, 2, false);
    }

    private static <C extends Call> void assertFound(final String expected, final Operation<C> operation, final Algorithm<C> algorithm,
        final C call) {
        assertFound(expected, operation, 2, algorithm, call);
    }

    private static <C extends Call> void assertFound(final String expected, final Operation<C> operation, final int size,
        final Algorithm<C> algorithm, final C call) {
        final List<C> calls = Collections.nCopies(size, call);
        final String found = PlanChecker.check(operation, "own", algorithm, calls).map(CounterExample::toString).orElse(SOUND);
        assertEquals(expected, found);
    }
}
