package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.plan.TaskKind;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.CostSimulator;
import tutti.coll.tck.Mutation;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;
import tutti.coll.tck.RecordedTask;

/** Proves every algorithm for one node, with trees of one to many levels, and with segments of one element to all data. */
class SingleNodeAlgorithmsTest {
    private static final int FEW_RANKS = 7;
    private static final int SOME_RANKS = 17;
    private static final int MANY_RANKS = 64;
    private static final long SMALL = 16;

    static List<Operation<?>> operations() {
        return Operation.values().stream().filter(o -> table(2, 8).intra(o) != null).toList();
    }

    private static AlgorithmTable table(final int fanin, final long segment) {
        return table(fanin, segment, 0);
    }

    private static AlgorithmTable table(final int fanin, final long segment, final long eager) {
        return new SingleNodeTable(fanin, SMALL, segment, eager).table();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldBeCorrectForFewRanks(final Operation<?> operation) {
        for (int size = 2; size <= FEW_RANKS; size++) {
            for (final int fanin : new int[] {2, 8}) {
                // nothing, some data and all data is eager
                for (final long eager : new long[] {0, 8, AdvancedPlan.MAX_SHARED}) {
                    assertRight(operation, table(fanin, fanin == 2 ? 12 : 65536, eager), size, CallCases.counts(size), CallCases.allRoots(size));
                }
            }
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldBeCorrectForManyRanks(final Operation<?> operation) {
        for (int size = FEW_RANKS + 1; size <= SOME_RANKS; size++) {
            assertRight(operation, table(size % 2 == 0 ? 4 : 8, 65536), size, List.of(size - 1), size % 3 == 0 ? 0 : size - size % 3);
            assertRight(operation, table(size % 2 == 0 ? 8 : 4, 65536, AdvancedPlan.MAX_SHARED), size, List.of(size - 1),
                size % 3 == 0 ? 0 : size - size % 3);
        }
    }

    /** Checks one call per number of ranks. The sizes take turns with what affects the order and the buffers. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldBeCorrectForVeryManyRanks(final Operation<?> operation) {
        for (int size = SOME_RANKS + 1; size <= MANY_RANKS; size++) {
            assertRightOnce(operation, table(size % 2 == 0 ? 4 : 8, 65536, size % 4 < 2 ? 0 : AdvancedPlan.MAX_SHARED), size, size / 2);
        }
    }

    private static <C extends Call> void assertRightOnce(final Operation<C> operation, final AlgorithmTable table, final int size, final int turn) {
        final List<List<C>> cases = cases(operation, size, List.of(turn % 3 == 0 ? 5 : size - 1), turn % size);
        for (final AlgorithmTable.Entry<C> entry : table.everyIntra(operation)) {
            if (!entry.name().equals(SingleNodeTable.CHOICE)) {
                PlanChecker.prove(operation, entry, List.of(cases.get(turn % cases.size())));
            }
        }
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final AlgorithmTable table, final int size,
        final Iterable<Integer> counts,
        final int... roots) {
        final List<List<C>> cases = cases(operation, size, counts, roots);
        for (final AlgorithmTable.Entry<C> entry : table.everyIntra(operation)) {
            if (size <= FEW_RANKS || !entry.name().equals(SingleNodeTable.CHOICE)) {
                PlanChecker.prove(operation, entry, cases);
            }
        }
    }

    @Test
    void shouldSwapLongBlocksThroughLittleMemory() {
        for (int size = 2; size <= SOME_RANKS; size++) {
            for (final long bytes : new long[] {DirectAlltoall.MAX_SCRATCH / 2 - 1, DirectAlltoall.MAX_SCRATCH + 1}) {
                final Blocks blocks = Blocks.uniform(size, bytes);
                final List<Call.Alltoall> calls = Collections.nCopies(size, new Call.Alltoall(blocks, blocks, true));
                PlanChecker.prove(Operation.ALLTOALL, table(2, 8).intra(Operation.ALLTOALL), List.of(calls));
                assertTrue(CostSimulator.of(new DirectAlltoall(0), calls).scratch() <= Math.max(bytes, DirectAlltoall.MAX_SCRATCH));
            }
        }
    }

    /** Returns the calls without those whose operation commutes, for which the plans are the same. */
    private static <C extends Call> List<List<C>> cases(final Operation<C> operation, final int size, final Iterable<Integer> counts,
        final int... roots) {
        return CallCases.of(operation, size, counts, roots).stream().filter(calls -> !commutes(calls.getFirst())).toList();
    }

    private static boolean commutes(final Call call) {
        return switch (call) {
            case Call.Allreduce c -> c.reduction().isCommutative();
            case Call.Reduce c -> c.reduction().isCommutative();
            case Call.ReduceScatter c -> c.reduction().isCommutative();
            case Call.Scan c -> c.reduction().isCommutative();
            default -> false;
        };
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldHaveCanonicalBracketsWhereAnythingIsCombined(final Operation<?> operation) {
        final boolean combines = List.of(Call.Allreduce.class, Call.Reduce.class, Call.ReduceScatter.class, Call.Scan.class)
            .contains(operation.callType());
        table(2, 8).everyIntra(operation).forEach(e -> assertEquals(combines ? ReductionOrder.CANONICAL : ReductionOrder.RANKS, e.order()));
    }

    /** Applies every mutation to every task. Surviving mutations would show tasks that are not needed, or defects that the checker misses. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldKillEveryMutation(final Operation<?> operation) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5}) {
            applied += mutateAll(operation, table(size == 3 ? 8 : 2, 8), size);
            applied += mutateAll(operation, table(size == 3 ? 8 : 2, 8, AdvancedPlan.MAX_SHARED), size);
        }
        final int all = applied;
        assertTrue(all > 50, () -> "applied=" + all);
    }

    private static <C extends Call> int mutateAll(final Operation<C> operation, final AlgorithmTable table, final int size) {
        int applied = 0;
        for (final List<C> calls : cases(operation, size, List.of(size + 1), 0, size - 1)) {
            for (final AlgorithmTable.Entry<C> entry : table.everyIntra(operation)) {
                if (entry.name().equals(SingleNodeTable.CHOICE)) {
                    continue;
                }
                final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, entry, calls);
                assertEquals(List.of(), outcome.survived().stream().filter(u -> !isHarmless(calls, u)).toList(), () -> entry + " " + calls);
                applied += outcome.applied();
            }
        }
        return applied;
    }

    private static boolean isHarmless(final List<? extends Call> calls, final PlanMutations.Survived survived) {
        final RecordedTask task = survived.task();
        final boolean isSignal = task.kind() == TaskKind.POST || task.kind() == TaskKind.AWAIT;
        return switch (calls.get(survived.rank())) {
            // of two ranks, one may post before it awaits the other
            case Call.Barrier c -> calls.size() == 2 && survived.mutation() == Mutation.MISSING_DEPENDENCY;
            // in place, the ranks that the last rank collects from have their blocks in the same location; that rank also copies its own block back
            case Call.Allgather c -> c.inPlace() && (survived.mutation() == Mutation.SWAPPED_PEER || isOwnBlockOfTheLast(calls, survived));
            // the root also copies its own block of the contribution, which no other rank reads
            case Call.Reduce c -> survived.mutation() == Mutation.SHORT_SPAN && task.kind() == TaskKind.COPY && c.root() == calls.size() - 1;
            // the last rank also copies its own block, which no other rank reads
            case Call.Alltoall c -> isOwnBlockOfTheLast(calls, survived);
            case Call.Scatter c -> isOwnBlockOfTheLast(calls, survived);
            // a rank with an empty block could return without posting that it has read
            case Call.ReduceScatter c -> isSignal && isAnyEmpty(c.blocks());
            default -> false;
        };
    }

    private static boolean isOwnBlockOfTheLast(final List<? extends Call> calls, final PlanMutations.Survived survived) {
        return survived.mutation() == Mutation.SHORT_SPAN && survived.task().kind() == TaskKind.COPY && survived.rank() == calls.size() - 1;
    }

    private static boolean isAnyEmpty(final Blocks blocks) {
        return IntStream.range(0, blocks.count()).anyMatch(b -> blocks.bytes(b) == 0);
    }
}
