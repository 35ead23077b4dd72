package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.ReductionOrder;
import tutti.coll.basic.BasicModule;
import tutti.coll.plan.TaskKind;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.Mutation;
import tutti.coll.tck.NodeLayout;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;
import tutti.coll.tck.VirtualModule;

/** Proves the algorithms over nodes, in many segments, with the module itself within nodes and module basic between them. */
class HierarchicalAlgorithmsTest {
    private static final Map<String, String> MANY_SEGMENTS = Map.of("coll.smp.segment", "64", "coll.smp.fanin", "2", "coll.smp.pack", "36");
    private static final Map<String, String> LONG_BLOCKS = Map.of("coll.smp.pack", "0");
    private static final int FEW_RANKS = 7;
    private static final int SOME_RANKS = 17;
    private static final int MANY_RANKS = 64;

    private static List<Operation<?>> offered(final VirtualModule virtual) {
        return Operation.values().stream().filter(o -> !virtual.offers(o).isEmpty()).toList();
    }

    private static VirtualModule set(final NodeLayout layout, final Map<String, String> parameters) {
        return VirtualModule.of(new SmpModule(), new BasicModule(), layout, parameters);
    }

    /**
     * Returns layouts of blocks on two nodes and interleaved on two. From 4 ranks also interleaved on three, and uneven with two nodes of one rank.
     */
    private static List<NodeLayout> layouts(final int size) {
        final List<NodeLayout> layouts = new ArrayList<>(List.of(NodeLayout.blocks(size, 2), NodeLayout.interleaved(size, 2)));
        if (size > 3) {
            layouts.add(NodeLayout.interleaved(size, 3));
            layouts.add(NodeLayout.uneven(size));
        }
        return layouts;
    }

    static Stream<NodeLayout> fewRanks() {
        return IntStream.rangeClosed(3, FEW_RANKS).boxed().flatMap(p -> layouts(p).stream());
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("fewRanks")
    void shouldBeCorrectForFewRanks(final NodeLayout layout) {
        final int size = layout.ranks();
        final VirtualModule virtual = set(layout, MANY_SEGMENTS);
        for (final Operation<?> operation : offered(virtual)) {
            assertRight(operation, virtual, new TreeSet<>(Set.of(0, 1, size + 1, 37)), CallCases.allRoots(size));
        }
    }

    static Stream<NodeLayout> someRanks() {
        return IntStream.rangeClosed(FEW_RANKS + 1, SOME_RANKS).mapToObj(p -> layouts(p).get(p % 4));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("someRanks")
    void shouldBeCorrectForManyRanks(final NodeLayout layout) {
        final int size = layout.ranks();
        final VirtualModule virtual = set(layout, size % 8 < 4 ? MANY_SEGMENTS : LONG_BLOCKS);
        for (final Operation<?> operation : offered(virtual)) {
            assertRight(operation, virtual, List.of(size + 1), size % 3 == 0 ? 0 : size % 3 == 1 ? size / 3 : size - 1);
        }
    }

    static Stream<NodeLayout> manyRanks() {
        return IntStream.rangeClosed(SOME_RANKS + 1, MANY_RANKS).mapToObj(p -> layouts(p).get(p % 4));
    }

    /** Checks one call per number of ranks. The sizes take turns with what affects the order and the buffers. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("manyRanks")
    void shouldBeCorrectForVeryManyRanks(final NodeLayout layout) {
        final int size = layout.ranks();
        final VirtualModule virtual = set(layout, size % 8 < 4 ? MANY_SEGMENTS : LONG_BLOCKS);
        for (final Operation<?> operation : offered(virtual)) {
            assertRightOnce(operation, virtual, size / 8);
        }
    }

    private static <C extends Call> void assertRightOnce(final Operation<C> operation, final VirtualModule virtual, final int turn) {
        final int size = virtual.size();
        final List<List<C>> cases = served(operation, virtual, List.of(3), size % 3 == 0 ? 0 : size % 3 == 1 ? size / 3 : size - 1);
        PlanChecker.prove(operation, virtual, HierarchicalTable.NAME, List.of(cases.get(turn % cases.size())));
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final VirtualModule virtual, final Iterable<Integer> counts,
        final int... roots) {
        PlanChecker.prove(operation, virtual, HierarchicalTable.NAME, served(operation, virtual, counts, roots));
    }

    /**
     * Returns the calls whose operation does not commute where the algorithm keeps the order of ranks, and otherwise those whose operation commutes.
     */
    private static <C extends Call> List<List<C>> served(final Operation<C> operation, final VirtualModule virtual, final Iterable<Integer> counts,
        final int... roots) {
        final boolean commutes = virtual.entry(operation, HierarchicalTable.NAME).order() == ReductionOrder.ANY;
        return CallCases.of(operation, virtual.size(), counts, roots).stream()
            .filter(c -> reduction(c.getFirst()) == null || reduction(c.getFirst()).isCommutative() == commutes).toList();
    }

    static Stream<NodeLayout> deep() {
        return Stream.of(NodeLayout.blocks(24, 6), NodeLayout.blocks(11, 5), NodeLayout.interleaved(13, 4), NodeLayout.uneven(17),
            NodeLayout.onePerNode(9), NodeLayout.oneNode(7));
    }

    /** Sockets, JVMs, hosts and switches, each of which the module divides by; beyond a JVM it has the algorithms that share no memory. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("deep")
    void shouldBeCorrectAtAllLevelsOfLocality(final NodeLayout layout) {
        final VirtualModule virtual = set(layout, Map.of("coll.smp.levels", "socket,jvm,host,switch", "coll.smp.segment", "64"));
        final List<Operation<?>> offered = offered(virtual);
        assertTrue(offered.containsAll(List.of(Operation.ALLREDUCE, Operation.BCAST)), () -> layout + ": " + offered);
        for (final Operation<?> operation : offered) {
            assertRight(operation, virtual, List.of(1, 37), layout.ranks() - 1);
        }
    }

    @Test
    void shouldSwapLongBlocksThroughLittleMemory() {
        for (int size = 3; size <= SOME_RANKS; size++) {
            for (final NodeLayout layout : layouts(size)) {
                final VirtualModule virtual = set(layout, Map.of());
                for (final long bytes : new long[] {DirectAlltoall.MAX_SCRATCH / 2 - 1, DirectAlltoall.MAX_SCRATCH + 1}) {
                    final Blocks blocks = Blocks.uniform(size, bytes);
                    final List<Call.Alltoall> calls = Collections.nCopies(size, new Call.Alltoall(blocks, blocks, true));
                    PlanChecker.prove(Operation.ALLTOALL, virtual, HierarchicalTable.NAME, List.of(calls));
                    final long scratch = CostSimulator.of(Operation.ALLTOALL, virtual, HierarchicalTable.NAME, calls).scratch();
                    assertTrue(scratch <= 2 * Math.max(bytes, DirectAlltoall.MAX_SCRATCH), () -> layout + " scratch=" + scratch);
                }
            }
        }
    }

    private static Reduction reduction(final Call call) {
        return switch (call) {
            case Call.Allreduce c -> c.reduction();
            case Call.Reduce c -> c.reduction();
            case Call.ReduceScatter c -> c.reduction();
            case Call.Scan c -> c.reduction();
            default -> null;
        };
    }

    @Test
    void shouldKeepTheOrderOfRanksWhereThoseOfANodeAreNeighbours() {
        assertEquals(ReductionOrder.RANKS, set(NodeLayout.blocks(6, 2), Map.of()).entry(Operation.ALLREDUCE, HierarchicalTable.NAME).order());
        assertEquals(ReductionOrder.RANKS, set(NodeLayout.uneven(6), Map.of()).entry(Operation.REDUCE, HierarchicalTable.NAME).order());
        assertEquals(ReductionOrder.ANY, set(NodeLayout.interleaved(6, 2), Map.of()).entry(Operation.REDUCE_SCATTER, HierarchicalTable.NAME).order());
        assertEquals(ReductionOrder.RANKS, set(NodeLayout.interleaved(6, 2), Map.of()).entry(Operation.BCAST, HierarchicalTable.NAME).order());
    }

    /** Returns a layout of each kind. The second runs with long blocks, since ranks 0 and 1 are on one node. */
    static Stream<NodeLayout> mutatedLayouts() {
        return Stream.of(NodeLayout.interleaved(5, 2), NodeLayout.blocks(5, 2), NodeLayout.uneven(4));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("mutatedLayouts")
    void shouldKillEveryMutation(final NodeLayout layout) {
        final VirtualModule virtual = set(layout, layout.nodes().getFirst().equals(layout.nodes().get(1)) ? LONG_BLOCKS : Map.of());
        for (final Operation<?> operation : offered(virtual)) {
            final int applied = mutateAll(operation, virtual);
            assertTrue(applied > 20, () -> operation + " applied=" + applied);
        }
    }

    private static <C extends Call> int mutateAll(final Operation<C> operation, final VirtualModule virtual) {
        int applied = 0;
        for (final List<C> calls : served(operation, virtual, List.of(virtual.size() + 1), 0, 2)) {
            final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, virtual, HierarchicalTable.NAME, calls);
            assertEquals(List.of(), outcome.survived().stream().filter(u -> !isHarmless(operation, u)).toList(), () -> operation + " " + calls);
            applied += outcome.applied();
        }
        return applied;
    }

    /** Returns whether a mutation may survive. A nested collective does not know its successors, and may wait for what they wait for anyway. */
    private static boolean isHarmless(final Operation<?> operation, final PlanMutations.Survived survived) {
        final TaskKind kind = survived.task().kind();
        if (operation == Operation.ALLGATHER) {
            // all blocks are read at once, in place including the own one, which is there already
            return survived.mutation() == Mutation.SHORT_SPAN && kind == TaskKind.GET;
        }
        if (operation == Operation.ALLTOALL) {
            // in place all blocks are copied at once, including the last rank's own one, which nobody reads
            return survived.mutation() == Mutation.SHORT_SPAN && kind == TaskKind.COPY && survived.task().from().buffer() == Buffer.RECV;
        }
        return reduces(operation) && (kind == TaskKind.AWAIT || kind == TaskKind.POST);
    }

    private static boolean reduces(final Operation<?> operation) {
        return operation.callType() == Call.Allreduce.class || operation.callType() == Call.Reduce.class
            || operation.callType() == Call.ReduceScatter.class || operation.callType() == Call.Scan.class;
    }
}
