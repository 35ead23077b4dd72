package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollInstance;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.ReductionOrder;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.advanced.SetupComm;

/** Tests modules that exchange messages and split during set-up, and the plans that nest collectives on the result. */
@Timeout(120)
class VirtualModuleTest {
    private static final AlgorithmTable NOTHING = AlgorithmTable.builder().build();
    private static final CollModule PLAIN = new Plain();

    /** The set-up of a module on one rank. */
    private interface Init {
        AlgorithmTable on(SetupComm comm) throws Exception;
    }

    private static CollModule module(final Init init) {
        return comm -> new QueryResult.Usable(50, new CollInstance() {
            @Override
            public AlgorithmTable table() {
                return NOTHING;
            }

            @Override
            public AlgorithmTable init() throws Exception {
                return init.on(SetupComm.of(comm));
            }
        });
    }

    /**
     * A module that reduces within each node and among the nodes' first ranks, and broadcasts in the opposite direction. It declines communicators of
     * one node, and those of one rank per node.
     */
    private static final class Hierarchical implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            final long nodes = IntStream.range(0, comm.size()).map(comm::nodeOf).distinct().count();
            if (nodes == 1 || nodes == comm.size()) {
                return new QueryResult.Declined("nothing to divide");
            }
            return module(this::init).query(comm);
        }

        private AlgorithmTable init(final SetupComm comm) {
            final CollSubComm node = comm.split("node", comm.nodeOf(comm.rank()), comm.rank());
            final CollSubComm leaders = comm.split("leaders", node.rank() == 0 ? 0 : -1, comm.rank());
            return AlgorithmTable.builder()
                .intra(Operation.ALLREDUCE, "nodes", (call, plan) -> plan(call, AdvancedPlan.of(plan), node, leaders), ReductionOrder.ANY)
                .intra(Operation.BCAST, "linear", Plain::bcast).build();
        }

        private void plan(final Call.Allreduce call, final AdvancedPlan plan, final CollSubComm node, final CollSubComm leaders) {
            final BufferRange result = Buffer.RECV.at(0, call.bytes());
            final boolean leads = leaders != null;
            final Call.Reduce reduce = new Call.Reduce(call.reduction(), call.count(), 0, leads && call.inPlace());
            plan.nested(node, Operation.REDUCE, reduce, reduce.inPlace() ? null : call.input(), leads ? result : null);
            if (leads) {
                final boolean first = leaders.rank() == 0;
                final Call.Reduce over = new Call.Reduce(call.reduction(), call.count(), 0, first);
                plan.nested(leaders, Operation.REDUCE, over, first ? null : result, first ? result : null);
                plan.nested(leaders, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, result);
            }
            plan.nested(node, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, result);
        }
    }

    @Test
    void shouldProveHierarchicalAlgorithmsOnEveryLayout() {
        for (int size = 2; size <= 16; size++) {
            for (final NodeLayout layout : NodeLayout.all(size)) {
                final VirtualModule virtual = VirtualModule.of(new Hierarchical(), PLAIN, layout);
                if (layout.equals(NodeLayout.onePerNode(size)) || layout.equals(NodeLayout.oneNode(size))) {
                    assertEquals(Optional.of("nothing to divide"), virtual.declined());
                } else {
                    PlanChecker.prove(Operation.ALLREDUCE, virtual, "nodes", CallCases.of(Operation.ALLREDUCE, size, List.of(0, 3)));
                }
            }
        }
    }

    @Test
    void shouldKillEveryMutationInNestedParts() {
        final VirtualModule virtual = VirtualModule.of(new Hierarchical(), PLAIN, NodeLayout.interleaved(5, 2));
        final List<Call.Allreduce> calls = Collections.nCopies(5, new Call.Allreduce(new SymbolicReduction(4, true), 2, false));
        final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(Operation.ALLREDUCE, virtual, "nodes", calls);
        assertEquals(List.of(), outcome.survived());
        assertTrue(outcome.applied() > 100, outcome::toString);
    }

    @Test
    void shouldCountMessagesOfNestedParts() {
        final VirtualModule virtual = VirtualModule.of(new Hierarchical(), PLAIN, NodeLayout.blocks(6, 2));
        final List<Call.Allreduce> calls = Collections.nCopies(6, new Call.Allreduce(new SymbolicReduction(4, true), 2, false));
        final CostSimulator cost = CostSimulator.of(Operation.ALLREDUCE, virtual, "nodes", calls);
        assertEquals(2 * (4 + 1), cost.messages());
        assertEquals(2 * (4 + 1) * 8, cost.bytes());
        assertEquals(3 * 8, cost.sentBytes());
    }

    /** The module halves its communicator until one rank is left, and so serves its own sub-communicators. */
    @Test
    void shouldLetAModuleServeItsOwnGroupsToAnyDepth() {
        final CollModule halving = new CollModule() {
            @Override
            public QueryResult query(final CollComm comm) {
                return module(this::init).query(comm);
            }

            private AlgorithmTable init(final SetupComm comm) {
                final int half = (comm.size() + 1) / 2;
                final CollSubComm part = comm.size() == 1 ? null : comm.split("half", comm.rank() / half, 0);
                return AlgorithmTable.builder().intra(Operation.BARRIER, "halves", (call, any) -> {
                    final AdvancedPlan plan = AdvancedPlan.of(any);
                    if (part != null) {
                        final Task before = plan.nested(part, Operation.BARRIER, call, null, null);
                        final int other = plan.rank() < half ? plan.rank() + half : plan.rank() - half;
                        final int to = Math.min(other, plan.size() - 1);
                        final Task sent = plan.send(plan.scratch(0), to, before);
                        final Task got = other < plan.size() ? plan.recv(plan.scratch(0), other, before) : sent;
                        if (plan.rank() == plan.size() - 1 && plan.size() % 2 == 1) {
                            plan.recv(plan.scratch(0), half - 1, before);
                        }
                        plan.nested(part, Operation.BARRIER, call, null, null, sent, got);
                    }
                }).build();
            }
        };
        for (final int size : new int[] {1, 2, 3, 4, 8}) {
            final VirtualModule virtual = VirtualModule.of(halving, PLAIN, NodeLayout.oneNode(size));
            assertDoesNotThrow(() -> PlanChecker.prove(Operation.BARRIER, virtual, "halves", CallCases.of(Operation.BARRIER, size, List.of(0))));
        }
    }

    @Test
    void shouldTransferMessagesDuringSetUp() {
        final byte[] received = new byte[3];
        VirtualModule.of(module(comm -> {
            final int next = (comm.rank() + 1) % comm.size();
            comm.send(new byte[] {(byte) comm.rank()}, next);
            final byte[] from = new byte[1];
            comm.recv(from, (comm.rank() + 2) % comm.size());
            received[comm.rank()] = from[0];
            return NOTHING;
        }), PLAIN, NodeLayout.oneNode(3));
        assertEquals("[2, 0, 1]", Arrays.toString(received));
    }

    @Test
    void shouldOrderAGroupByKey() {
        final int[] ranks = new int[4];
        final int[] firsts = new int[4];
        VirtualModule.of(module(comm -> {
            if (comm.size() == 4) {
                final CollSubComm group = comm.split("half", comm.rank() % 2, -comm.rank());
                ranks[comm.rank()] = group.rank();
                firsts[comm.rank()] = group.parentRank(0);
            }
            return NOTHING;
        }), PLAIN, NodeLayout.oneNode(4));
        assertEquals("[1, 1, 0, 0]", Arrays.toString(ranks));
        assertEquals("[2, 3, 2, 3]", Arrays.toString(firsts));
    }

    @Test
    void shouldDeclineWhereOneRankDeclines() {
        final VirtualModule virtual = VirtualModule.of(comm -> comm.rank() == 2 ? new QueryResult.Declined("not me")
            : QueryResult.usable(1, NOTHING), PLAIN,
            NodeLayout.oneNode(3));
        assertEquals(Optional.of("not me"), virtual.declined());
    }

    private static void assertFails(final String message, final Init init) {
        final IllegalStateException e = assertThrows(IllegalStateException.class, () -> VirtualModule.of(module(init), PLAIN, NodeLayout.oneNode(3)));
        assertEquals(message, e.getMessage());
    }

    @Test
    void shouldNameTheRankWhoseSetUpFails() {
        assertFails("set-up failed: rank=1: java.io.IOException: no way", comm -> {
            if (comm.rank() == 1) {
                throw new IOException("no way");
            }
            comm.split("all", 0, 0);
            return NOTHING;
        });
    }

    @Test
    void shouldRefuseNamesOfSplitsThatAJobRefuses() {
        assertFails("set-up failed: rank=1: java.lang.IllegalArgumentException: not the name of a split: name=\"a/b\", allowed=1 to 32 letters, "
            + "digits, hyphens, underscores", comm -> {
                if (comm.rank() == 1) {
                    comm.split("a/b", 0, 0);
                }
                return NOTHING;
            });
        final IllegalStateException e = assertThrows(IllegalStateException.class, () -> VirtualModule.of(module(comm -> {
            comm.split("rank" + comm.rank(), 0, 0);
            return NOTHING;
        }), PLAIN, NodeLayout.oneNode(2)));
        assertTrue(e.getMessage().endsWith("ranks give a split different names: names=[module.rank0, module.rank1]"), e::getMessage);
    }

    @Test
    void shouldNameHiddenCommunicatorsAsAJobDoes() {
        final Set<String> names = new ConcurrentSkipListSet<>();
        VirtualModule.of(comm -> {
            names.add(comm.name() + " in " + comm.parent());
            return comm.size() < 3 ? new QueryResult.Declined("small") : module(c -> {
                c.split("half", c.rank() / 2, 0);
                c.split("first", c.rank() < 2 ? 5 : -1, 0);
                return NOTHING;
            }).query(comm);
        }, PLAIN, NodeLayout.oneNode(4));
        assertEquals(Set.of("comm in null", "comm/module.half.0 in comm", "comm/module.half.1 in comm", "comm/module.first in comm"), names);
    }

    @Test
    void shouldDetectADeadlockOfTheSetUp() {
        assertFails("deadlock: every rank waits for another", comm -> {
            comm.recv(new byte[1], (comm.rank() + 1) % comm.size());
            return NOTHING;
        });
        assertFails("deadlock: every rank waits for another", comm -> {
            if (comm.rank() > 0) {
                comm.split("all", 0, 0);
            }
            return NOTHING;
        });
    }

    @Test
    void shouldReportUnreceivedMessages() {
        assertFails("set-up left messages that were not received", comm -> {
            comm.send(new byte[1], 0);
            return NOTHING;
        });
    }

    @Test
    void shouldAbandonAModuleThatDoesNotFinish() throws InterruptedException {
        final CountDownLatch ever = new CountDownLatch(1);
        final CollModule stubborn = module(comm -> {
            ever.await();
            return NOTHING;
        });
        final CommGroups groups = CommGroups.intra(3);
        final IllegalStateException e = assertThrows(IllegalStateException.class,
            () -> VirtualModule.of(stubborn, PLAIN, groups, Map.of(), 100));
        assertEquals("set-up takes too long: ranks=3: 50 ms of waiting", e.getMessage());
        ever.countDown();
    }

    @Test
    void shouldLimitTheDepthOfSubCommunicators() {
        final CollModule endless = new CollModule() {
            @Override
            public QueryResult query(final CollComm comm) {
                return module(c -> {
                    SetupComm.of(c).split("all", 0, 0);
                    return NOTHING;
                }).query(comm);
            }
        };
        final IllegalStateException e = assertThrows(IllegalStateException.class, () -> VirtualModule.of(endless, PLAIN, NodeLayout.oneNode(2)));
        assertTrue(e.getMessage().contains("sub-communicators nested too deeply"), e::getMessage);
    }

    @Test
    void shouldSetModulesUpBetweenGroups() {
        final CollModule inter = comm -> comm.isInter() ? QueryResult.usable(1, AlgorithmTable.builder()
            .inter(Operation.BCAST, "own", (call, plan) -> {
                final BufferRange data = Buffer.RECV.at(0, call.bytes());
                if (call.root() == Call.ROOT) {
                    plan.send(data, 0);
                } else if (call.root() >= 0) {
                    if (plan.rank() == 0) {
                        plan.recv(data, call.root());
                    }
                    AdvancedPlan.of(plan).nested(SetupComm.of(comm).local(), Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
                }
            }).build()) : new QueryResult.Declined("one group");
        final VirtualModule virtual = VirtualModule.between(inter, PLAIN, 2, NodeLayout.interleaved(5, 2));
        assertDoesNotThrow(() -> PlanChecker.prove(Operation.BCAST, virtual, "own",
            CallCases.between(Operation.BCAST, virtual.groups(), List.of(2))));
        assertEquals("groups=2+3, nodes=[0, 1, 0, 1, 0]", virtual.toString());
    }

    @Test
    void shouldCombineValuesOfAllRanksDuringSetUp() {
        final CollModule module = module(comm -> {
            final long[] values = {comm.rank(), 1};
            comm.barrier();
            comm.allreduce(values, Long::sum);
            // of groups of 2 and 3 ranks, or of one group
            assertEquals(comm.isInter() ? 4 : comm.size() * (comm.size() - 1) / 2, values[0]);
            assertEquals(comm.isInter() ? 5 : comm.size(), values[1]);
            return NOTHING;
        });
        VirtualModule.of(module, PLAIN, NodeLayout.interleaved(3, 2));
        VirtualModule.between(module, PLAIN, 2, NodeLayout.oneNode(5));
    }

    @Test
    void shouldFailWhenRanksCombineDifferentNumbersOfValues() {
        final CollModule module = module(comm -> {
            comm.allreduce(new long[1 + comm.rank()], Long::sum);
            return NOTHING;
        });
        final IllegalStateException e =
            assertThrows(IllegalStateException.class, () -> VirtualModule.of(module, PLAIN, NodeLayout.oneNode(2)));
        assertTrue(e.getMessage().contains("ranks combine different numbers of values"), e::getMessage);
    }

    @Test
    void shouldProvePlansThatUseAnAlgorithmOfAnotherModule() {
        final CollModule module = module(comm -> AlgorithmTable.builder()
            .intra(Operation.BCAST, "borrowed", comm.algorithm(Operation.BCAST, "other/linear")).build());
        for (int size = 1; size <= 5; size++) {
            PlanChecker.prove(Operation.BCAST, VirtualModule.of(module, PLAIN, NodeLayout.oneNode(size)), "borrowed",
                CallCases.of(Operation.BCAST, size, List.of(0, 3)));
        }
    }

    @Test
    void shouldLetTheFallbackServeASplitThatNamesModules() {
        final CollModule module = comm -> comm.origin() == CollComm.Origin.HIDDEN
            ? QueryResult.usable(50, AlgorithmTable.builder().intra(Operation.BCAST, "wrong", (call, plan) -> {
                throw new IllegalStateException("the module serves in a split of " + comm.parent());
            }).build())
            : module(c -> {
                final CollSubComm all = SetupComm.of(c).split("all", 0, 0, "other");
                return AlgorithmTable.builder().intra(Operation.BCAST, "nested",
                    (call, plan) -> AdvancedPlan.of(plan).nested(all, Operation.BCAST, call, null, Buffer.RECV.at(0, call.bytes()))).build();
            }).query(comm);
        PlanChecker.prove(Operation.BCAST, VirtualModule.of(module, PLAIN, NodeLayout.oneNode(3)), "nested",
            CallCases.of(Operation.BCAST, 3, List.of(0, 3)));
    }
}
