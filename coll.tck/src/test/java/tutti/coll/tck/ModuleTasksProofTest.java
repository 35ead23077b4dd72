package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.Reduction;
import tutti.coll.ReductionOrder;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OffloadedTask;
import tutti.coll.advanced.OpaqueTask;
import tutti.coll.advanced.OpaqueWork;
import tutti.coll.advanced.SetupComm;

/** Proofs, mutations and costs of plans with opaque tasks and offloaded collectives. */
class ModuleTasksProofTest {
    private static final SymbolicReduction SUM = new SymbolicReduction(4, true);
    private static final Call.Allreduce CALL = new Call.Allreduce(SUM, 4, false);
    private static final BufferRange IN = Buffer.SEND.at(0, 16);
    private static final BufferRange OUT = Buffer.RECV.at(0, 16);
    private static final OffloadDevice DEVICE = new Switch();
    private static final OpaqueWork WORK = new Counter();

    private static final class Switch implements OffloadDevice {
        @Override
        public void start(final OffloadedTask task) {
            task.complete();
        }
    }

    private static final class Counter implements OpaqueWork {
        @Override
        public void start(final OpaqueTask task) {
            task.complete();
        }
    }

    private static Optional<String> failure(final int size, final AdvancedAlgorithm<Call.Allreduce> algorithm) {
        return PlanChecker.check(Operation.ALLREDUCE, "own", algorithm, Collections.nCopies(size, CALL)).map(CounterExample::reason);
    }

    private static <C extends Call> void assertProved(final Operation<C> operation, final List<C> calls, final AdvancedAlgorithm<C> algorithm) {
        assertEquals(Optional.empty(), PlanChecker.check(operation, "own", algorithm, calls), calls::toString);
    }

    private static BufferRange buffer(final Buffer buffer, final long bytes) {
        return bytes == 0 ? null : buffer.at(0, bytes);
    }

    private static <C extends Call> AdvancedAlgorithm<C> offloading(final Operation<C> operation) {
        return (call, plan) -> {
            if (call.reduction() == null || call.reduction().operation() != null) {
                plan.offloaded(DEVICE, operation, call, buffer(Buffer.SEND, call.sendBytes(plan.rank())),
                    buffer(Buffer.RECV, call.recvBytes(plan.rank())));
            } else {
                throw new IllegalStateException("the suite has no operation of the program here");
            }
        };
    }

    static Stream<Operation<?>> operations() {
        return Operation.values().stream().filter(o -> o.onIntercommunicators() || o == Operation.SCAN || o == Operation.EXSCAN);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldGiveTheResultsOfEveryOperationThatIsOffloaded(final Operation<?> operation) {
        prove(operation);
    }

    private static <C extends Call> void prove(final Operation<C> operation) {
        for (int size = 1; size <= 5; size++) {
            for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
                final Reduction reduction = calls.getFirst().reduction();
                if (reduction == null || reduction.operation() != null) {
                    assertProved(operation, calls, offloading(operation));
                }
            }
        }
    }

    @Test
    void shouldProveThatADeviceCombinesAPartOfTheDataOrWhatOthersCombined() {
        assertProved(Operation.ALLREDUCE, Collections.nCopies(4, CALL), (call, plan) -> {
            final Call.Allreduce half = new Call.Allreduce(call.reduction(), 2, false);
            final BufferRange sum = plan.scratch(8);
            plan.copy(IN.slice(0, 8), sum);
            plan.offloaded(DEVICE, Operation.ALLREDUCE, new Call.Allreduce(call.reduction(), 2, true), null, sum);
            plan.copy(sum, OUT.slice(0, 8));
            plan.offloaded(DEVICE, Operation.ALLREDUCE, half, IN.slice(8, 8), OUT.slice(8, 8));
        });
    }

    @Test
    void shouldRefuseADeviceThatCombinesDifferentElements() {
        assertTrue(failure(2, (call, plan) -> plan.offloaded(DEVICE, Operation.ALLREDUCE, new Call.Allreduce(call.reduction(), 2, false),
            IN.slice(plan.rank() * 8L, 8), OUT.slice(0, 8))).orElseThrow().startsWith("reduces different elements: "));
    }

    @Test
    void shouldNameTheRankThatNeverPlansAnOffloadedCollective() {
        assertEquals("no match for offloaded collective 1 on rank 2 (OFFLOADED barrier by Switch after [0])", failure(3, (call, plan) -> {
            final Task all = plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            if (plan.rank() < 2) {
                plan.offloaded(DEVICE, Operation.BARRIER, new Call.Barrier(), null, null, all);
            }
        }).orElseThrow());
    }

    @Test
    void shouldRefuseOffloadedCollectivesWhoseArgumentsDiffer() {
        assertEquals("offloaded collectives of the ranks differ: rank 1: bcast by Switch Bcast[bytes=16, root=1], rank 0: bcast by Switch Bcast["
            + "bytes=16, root=0] (OFFLOADED bcast by Switch RECV[0..16) after [])",
            failure(2, (call, plan) -> plan.offloaded(DEVICE, Operation.BCAST,
                new Call.Bcast(16, plan.rank()), null, OUT)).orElseThrow());
    }

    @Test
    void shouldFindADeadlockOfACollectiveAndAMessageThatWaitForEachOther() {
        assertEquals(
            "deadlock without eager delivery, each waits for the next: rank 0 task 0, rank 1 task 0 (OFFLOADED allreduce by Switch SEND[0..16) "
                + "into RECV[0..16) after [])",
            failure(2, (call, plan) -> {
                if (plan.rank() == 0) {
                    plan.send(Buffer.SEND.at(0, 0), 1, plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT));
                } else {
                    plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT, plan.recv(plan.scratch(0), 0));
                }
            }).orElseThrow());
    }

    @Test
    void shouldKnowWhichRanksHaveBegunWhenAnOffloadedCollectiveIsComplete() {
        final List<Call.Barrier> calls = Collections.nCopies(3, new Call.Barrier());
        assertProved(Operation.BARRIER, calls, (call, plan) -> {
            final BufferRange data = plan.scratch(4);
            plan.offloaded(DEVICE, Operation.ALLGATHER, new Call.Allgather(4, Blocks.uniform(3, 4), false), data, plan.scratch(12));
        });
        assertEquals(Optional.of("may be done before the peer has begun"), PlanChecker.check(Operation.BARRIER, "own",
            (AdvancedAlgorithm<Call.Barrier>) (call, plan) -> plan.offloaded(DEVICE, Operation.BCAST, new Call.Bcast(4, 1), null, plan.scratch(4)),
            calls).map(CounterExample::reason));
    }

    /** Rank 1 reads rank 0's memory between two collectives of a device. */
    private static void readBetween(final Operation<?> first, final Call.Allreduce call, final AdvancedPlan plan) {
        final Call.Barrier barrier = new Call.Barrier();
        if (plan.rank() == 0) {
            plan.copy(IN, OUT);
        }
        final BufferRange flag = plan.scratch(4);
        final Task before = first == Operation.BARRIER ? plan.offloaded(DEVICE, Operation.BARRIER, barrier, null, null, plan.fence())
            : plan.offloaded(DEVICE, Operation.BCAST, new Call.Bcast(4, 1), null, flag, plan.fence());
        final Task read = plan.rank() == 1 ? plan.get(0, IN, plan.scratch(16), before) : before;
        final Task end = plan.offloaded(DEVICE, Operation.BARRIER, barrier, null, null, read);
        plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT, end);
    }

    @Test
    void shouldOrderReadsOfPeersMemoryByWhatADeviceMustWaitFor() {
        assertEquals(Optional.empty(), failure(2, (call, plan) -> readBetween(Operation.BARRIER, call, plan)));
        assertTrue(failure(2, (call, plan) -> readBetween(Operation.BCAST, call, plan)).orElseThrow().startsWith("reads before the peer has begun"));
    }

    @Test
    void shouldFindARaceWithWhatADeviceOrAnOpaqueTaskWrites() {
        assertTrue(failure(2, (call, plan) -> {
            final Task begun = plan.offloaded(DEVICE, Operation.BARRIER, new Call.Barrier(), null, null);
            final Task read = plan.rank() == 1 ? plan.get(0, OUT, plan.scratch(16), begun) : begun;
            plan.offloaded(DEVICE, Operation.BARRIER, new Call.Barrier(), null, null, read,
                plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT));
        }).orElseThrow().startsWith("race with the peer's task 1 (OFFLOADED allreduce by Switch"));
        assertTrue(failure(2, (call, plan) -> {
            plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            final Task begun = plan.offloaded(DEVICE, Operation.BARRIER, new Call.Barrier(), null, null);
            final BufferRange own = plan.scratch(16);
            final Task done = plan.rank() == 0 ? plan.opaque(WORK, List.of(), List.of(own)) : plan.get(0, own, plan.scratch(16), begun);
            plan.offloaded(DEVICE, Operation.BARRIER, new Call.Barrier(), null, null, done);
        }).orElseThrow().startsWith("race with the peer's task 2 (OPAQUE Counter after "));
    }

    @Test
    void shouldKillEveryMutationOfAnOffloadedCollective() {
        final AlgorithmTable.Entry<Call.Allreduce> entry = new AlgorithmTable.Entry<>("own", offloading(Operation.ALLREDUCE), ReductionOrder.RANKS,
            List.of());
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(Operation.ALLREDUCE, entry, Collections.nCopies(3, CALL));
        assertEquals(List.of(), outcome.survived());
        // each rank's: another source, another target, too short, dropped
        assertEquals(12, outcome.applied());
    }

    @Test
    void shouldMutateNoOpaqueTask() {
        final AlgorithmTable.Entry<Call.Allreduce> entry = new AlgorithmTable.Entry<>("own", (AdvancedAlgorithm<Call.Allreduce>) (call, plan) -> {
            plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            plan.opaque(WORK, List.of(OUT), List.of());
        }, ReductionOrder.RANKS, List.of());
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(Operation.ALLREDUCE, entry, Collections.nCopies(2, CALL));
        assertEquals(List.of(), outcome.survived());
        assertEquals(8, outcome.applied());
    }

    @Test
    void shouldProveAPlanWhoseOpaqueTasksOnlyObserve() {
        assertEquals(Optional.empty(), failure(3, (call, plan) -> {
            plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            final BufferRange digest = plan.scratch(8);
            plan.opaque(WORK, List.of(IN, OUT), List.of(digest));
            plan.copy(digest, plan.scratch(8));
        }));
    }

    @Test
    void shouldNameTheOpaqueTaskThatTheResultPassesThrough() {
        final String origin =
            ", opaque task 1 of rank 1 (Counter) wrote it and the plan does not state what it computes: plan a copy or a reduction by "
                + "a worker, or an offloaded collective";
        final String wrong = failure(2, (call, plan) -> {
            plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            if (plan.rank() == 1) {
                plan.opaque(WORK, List.of(), List.of(OUT));
            }
        }).orElseThrow();
        assertTrue(wrong.startsWith("wrong result: want=ranks 0 to 1 from byte 0 at RECV[0..16), found=opaque Counter from byte 0" + origin), wrong);
        final String reduced = failure(2, (call, plan) -> {
            final BufferRange data = plan.scratch(16);
            plan.copy(IN, data);
            if (plan.rank() == 1) {
                plan.opaque(WORK, List.of(), List.of(data));
            }
            plan.offloaded(DEVICE, Operation.ALLREDUCE, call, data, OUT);
        }).orElseThrow();
        assertTrue(reduced.startsWith("reduces data that is not a contribution: ") && reduced.contains(origin), reduced);
    }

    @Test
    void shouldBeginAnOffloadedCollectiveWhenAllRanksHaveReachedIt() {
        final CostSimulator simulator = CostSimulator.of((AdvancedAlgorithm<Call.Allreduce>) (call, plan) -> {
            if (plan.rank() == 0) {
                plan.opaque(WORK, List.of(IN), List.of());
                plan.recv(OUT, 1);
                plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            } else {
                plan.send(IN, 0);
                plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT);
            }
        }, 2, CALL);
        assertEquals(2 * (100 + 16 * 3), simulator.time(100, 3, 1000));
        assertEquals(List.of(1L, 16L, 0L), List.of(simulator.messages(), simulator.bytes(), simulator.combined()));
    }

    @Test
    void shouldRefuseAnOperationOfTheProgramWhenItIsPlanned() {
        final Call.Allreduce call = new Call.Allreduce(new SymbolicReduction(4, false), 4, false);
        final RecordingPlan plan = new RecordingPlan(0, 1, call);
        assertThrows(IllegalArgumentException.class, () -> plan.offloaded(DEVICE, Operation.ALLREDUCE, call, IN, OUT));
    }

    /** Serves hidden communicators by the device. */
    private static QueryResult serveByDevice(final CollComm comm) {
        return QueryResult.usable(1, AlgorithmTable.builder().intra(Operation.REDUCE, "device", offloading(Operation.REDUCE))
            .intra(Operation.BCAST, "device", offloading(Operation.BCAST)).build());
    }

    private static AlgorithmTable split(final SetupComm comm) {
        final CollSubComm parity = comm.split("parity", comm.rank() % 2, comm.rank());
        final CollSubComm first = comm.split("first", parity.rank() == 0 ? 0 : -1, comm.rank());
        return AlgorithmTable.builder().intra(Operation.ALLREDUCE, "parity", (AdvancedAlgorithm<Call.Allreduce>) (call, plan) -> {
            final boolean leads = first != null;
            plan.nested(parity, Operation.REDUCE, new Call.Reduce(call.reduction(), call.count(), 0, false), IN, leads ? OUT : null);
            if (leads) {
                final boolean isRoot = first.rank() == 0;
                plan.nested(first, Operation.REDUCE, new Call.Reduce(call.reduction(), call.count(), 0, isRoot), isRoot ? null : OUT,
                    isRoot ? OUT : null);
                plan.nested(first, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, OUT);
            }
            plan.nested(parity, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, OUT);
        }, ReductionOrder.ANY).build();
    }

    @Test
    void shouldProveOffloadedCollectivesInNestedParts() {
        final CollModule module = comm -> comm.origin() == CollComm.Origin.HIDDEN ? new QueryResult.Declined("hidden") : new QueryResult.Usable(50,
            new CollInstance() {
                @Override
                public AlgorithmTable table() {
                    return AlgorithmTable.builder().build();
                }

                @Override
                public AlgorithmTable init() {
                    return split(SetupComm.of(comm));
                }
            });
        final VirtualModule virtual = VirtualModule.of(module, ModuleTasksProofTest::serveByDevice, NodeLayout.onePerNode(5));
        PlanChecker.prove(Operation.ALLREDUCE, virtual, "parity", List.of(Collections.nCopies(5, CALL)));
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(Operation.ALLREDUCE, virtual, "parity", Collections.nCopies(5, CALL));
        assertEquals(List.of(), outcome.survived());
        assertTrue(outcome.applied() > 30, outcome::toString);
    }

    /** A reduction as the runtime describes it for proofs. */
    private record Described(long elementBytes, boolean isCommutative) implements Reduction {}

    @Test
    void shouldCheckReductionsThatTheCallDescribes() {
        final Call.Reduce call = new Call.Reduce(new Described(4, true), 1, 0, false);
        assertProved(Operation.REDUCE, Collections.nCopies(3, call), (c, plan) -> Plain.reduce(c, plan));
    }
}
