package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/** Tests what the checker accepts and rejects on intercommunicators. */
class InterPlanCheckerTest {
    private static final CommGroups GROUPS = CommGroups.of(2, 3, new Plain());

    private static <C extends Call> CollModule module(final Operation<C> operation, final Function<CollSubComm, Algorithm<C>> algorithm) {
        return comm -> QueryResult.usable(1, AlgorithmTable.builder().inter(operation, "own", algorithm.apply(SetupComm.of(comm).local())).build());
    }

    private static <C extends Call> void prove(final Operation<C> operation, final Function<CollSubComm, Algorithm<C>> algorithm) {
        PlanChecker.prove(operation, module(operation, algorithm), GROUPS, CallCases.between(operation, GROUPS, List.of(2)));
    }

    private static <C extends Call> void assertFound(final String failure, final Operation<C> operation,
        final Function<CollSubComm, Algorithm<C>> algorithm) {
        final AssertionError e = assertThrows(AssertionError.class, () -> prove(operation, algorithm));
        assertTrue(e.getMessage().contains(failure), e::getMessage);
        assertTrue(e.getMessage().endsWith("groups=2+3"), e::getMessage);
    }

    /**
     * Returns an algorithm by which the root sends to rank 0 of the remote group, which broadcasts within its group. If {@code early}, the broadcast
     * is planned before the message arrives.
     */
    private static Function<CollSubComm, Algorithm<Call.Bcast>> bcast(final boolean early) {
        return group -> (call, plan) -> {
            final BufferRange data = Buffer.RECV.at(0, call.bytes());
            if (call.root() == Call.ROOT) {
                plan.send(data, 0);
            } else if (call.root() >= 0) {
                if (early) {
                    AdvancedPlan.of(plan).nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
                }
                if (plan.rank() == 0) {
                    plan.recv(data, call.root());
                }
                if (!early) {
                    AdvancedPlan.of(plan).nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
                }
            }
        };
    }

    @Test
    void shouldRefuseAnEmptyGroup() {
        assertEquals("groups out of range: first=2, second=0",
            assertThrows(IllegalArgumentException.class, () -> CommGroups.of(2, 0, new Plain())).getMessage());
    }

    @Test
    void shouldAcceptANestedCollectiveOfAGroup() {
        assertDoesNotThrow(() -> prove(Operation.BCAST, bcast(false)));
    }

    @Test
    void shouldFindANestedCollectiveThatIsPlannedTooEarly() {
        assertFound("wrong result: want=", Operation.BCAST, bcast(true));
    }

    @Test
    void shouldFindAReceiveThatNobodySendsTo() {
        assertFound("no match for message 0", Operation.BCAST, group -> (call, plan) -> {
            if (call.root() >= 0) {
                plan.recv(Buffer.RECV.at(0, call.bytes()), call.root());
            }
        });
    }

    @Test
    void shouldFindABarrierThatWaitsForItsOwnGroupAlone() {
        assertFound("may be done before the peer has begun: size=5, rank=0, peer=2", Operation.BARRIER, group -> (call, plan) -> {});
    }

    /** Returns an algorithm whose leaders exchange the results of their groups, or keep them if not {@code swapped}. */
    private static Function<CollSubComm, Algorithm<Call.Allreduce>> allreduce(final boolean swapped) {
        return group -> (call, plan) -> {
            final BufferRange result = Buffer.RECV.at(0, call.bytes());
            final BufferRange ofGroup = plan.rank() > 0 ? null : swapped ? plan.scratch(call.bytes()) : result;
            AdvancedPlan.of(plan).nested(group, Operation.REDUCE, new Call.Reduce(call.reduction(), call.count(), 0, false), call.input(), ofGroup);
            if (swapped && plan.rank() == 0) {
                plan.send(ofGroup, 0);
                plan.recv(result, 0);
            }
            AdvancedPlan.of(plan).nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, result);
        };
    }

    @Test
    void shouldDemandTheReductionOfTheOtherGroup() {
        assertDoesNotThrow(() -> prove(Operation.ALLREDUCE, allreduce(true)));
        assertFound("wrong result: want=ranks 2 to 4 from byte 0 at RECV[0..8), found=(0 1)", Operation.ALLREDUCE, allreduce(false));
    }

    @Test
    void shouldRefuseToNestInAnotherGroup() {
        assertFound("planning failed: java.lang.IllegalArgumentException: not a sub-communicator of this communicator: group=",
            Operation.BARRIER,
            group -> (call, plan) -> AdvancedPlan.of(plan).nested(new VirtualComm.Group(VirtualComm.of(NodeLayout.oneNode(1)), 0), Operation.BARRIER,
                call, null, null));
    }

    @Test
    void shouldRefusePeersBeyondTheRemoteGroup() {
        assertFound("peer out of range: peer=3, ranks=3", Operation.BARRIER, group -> (call, plan) -> plan.send(plan.scratch(0), plan.remoteSize()));
    }

    @Test
    void shouldCountMessagesOfPartsInTheCost() {
        final List<Call.Bcast> calls = CallCases.between(Operation.BCAST, GROUPS, List.of(8)).getFirst();
        final CostSimulator cost = CostSimulator.of(Operation.BCAST, module(Operation.BCAST, bcast(false)), GROUPS, calls);
        assertEquals(3, cost.messages());
        assertEquals(3, cost.time(1, 0, 0));
    }

    @Test
    void shouldTryEveryRootInBothDirections() {
        final List<List<Call.Bcast>> cases = CallCases.between(Operation.BCAST, GROUPS, List.of(8));
        assertEquals(5, cases.size());
        assertEquals(List.of(new Call.Bcast(0, Call.PROC_NULL), new Call.Bcast(8, Call.ROOT), new Call.Bcast(8, 1), new Call.Bcast(8, 1),
            new Call.Bcast(8, 1)), cases.get(1));
    }
}
