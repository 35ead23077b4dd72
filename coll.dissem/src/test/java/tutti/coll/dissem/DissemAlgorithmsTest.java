package tutti.coll.dissem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;

/** Proves every algorithm of the module, with radices from the minimum to more than the number of ranks. */
class DissemAlgorithmsTest {
    private static final int MAX_ALL_COUNTS_RANKS = 8;
    private static final int MAX_DENSE_RANKS = 17;
    private static final int MAX_RANKS = 64;
    private static final int[] RADICES = {2, 3, 5, 64};

    static List<Operation<?>> operations() {
        return Operation.values().stream().filter(o -> DissemModule.table(2).intra(o) != null).toList();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemands(final Operation<?> operation) {
        for (int size = 1; size <= MAX_DENSE_RANKS; size++) {
            for (final int radix : RADICES) {
                assertRight(operation, radix, size, size <= MAX_ALL_COUNTS_RANKS ? CallCases.counts(size) : List.of(1, size + 1));
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfManyRanks(final Operation<?> operation) {
        for (int size = MAX_DENSE_RANKS + 1; size <= MAX_RANKS; size++) {
            assertOneCaseRight(operation, 2, size, size);
            assertOneCaseRight(operation, 3 + size % 6, size, size + 1);
        }
    }

    /** Proves an algorithm with one case, in place or not. */
    private static <C extends Call> void assertOneCaseRight(final Operation<C> operation, final int radix, final int size, final int turn) {
        final List<List<C>> cases = CallCases.of(operation, size, List.of(size % 3 + 1));
        PlanChecker.prove(operation, DissemModule.table(radix).intra(operation), List.of(cases.get(turn % cases.size())));
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final int radix, final int size, final Iterable<Integer> counts) {
        PlanChecker.prove(operation, DissemModule.table(radix).intra(operation), CallCases.of(operation, size, counts));
    }

    /** The runtime skips a call by what one rank knows, so no other rank may wait for it. */
    @ParameterizedTest
    @MethodSource("operations")
    void shouldOnlyLetCallsBeSkippedThatAreEmptyOnEveryRank(final Operation<?> operation) {
        for (int size = 1; size <= 5; size++) {
            assertSkippable(operation, size);
        }
    }

    private static <C extends Call> void assertSkippable(final Operation<C> operation, final int size) {
        assertEquals(operation != Operation.BARRIER, DissemModule.table(2).intra(operation).skipEmpty());
        for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size))) {
            final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
            assertTrue(empty == 0 || empty == size, () -> operation + " " + calls);
        }
    }

    /** Every task is mutated in every way. The checker must detect each mutation, so no task is superfluous. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldDetectEveryMutationOfEveryTask(final Operation<?> operation) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 7}) {
            for (final int radix : new int[] {2, 3}) {
                applied += mutateAll(operation, DissemModule.table(radix), size);
            }
        }
        final int all = applied;
        assertTrue(all > 100, () -> "applied=" + all);
    }

    private static <C extends Call> int mutateAll(final Operation<C> operation, final AlgorithmTable table, final int size) {
        int applied = 0;
        for (final List<C> calls : CallCases.of(operation, size, List.of(size + 1))) {
            final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, table.intra(operation), calls);
            assertEquals(List.of(), outcome.survived(), () -> operation + " " + calls);
            applied += outcome.applied();
        }
        return applied;
    }
}
