package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.SingleRankComm;

class AlgorithmsTest {
    private static final int MAX_ALL_CASES_RANKS = 8;
    private static final int MAX_DENSE_RANKS = 17;
    private static final int MAX_RANKS = 64;

    private static AlgorithmTable table(final int size) {
        return SingleRankComm.tableOf(new BasicModule(), new SingleRankComm(size, false));
    }

    static List<Operation<?>> operations() {
        return Operation.values();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemands(final Operation<?> operation) {
        for (int size = 1; size <= MAX_ALL_CASES_RANKS; size++) {
            assertRight(operation, size, CallCases.counts(size), CallCases.allRoots(size));
        }
        for (int size = MAX_ALL_CASES_RANKS + 1; size <= MAX_DENSE_RANKS; size++) {
            assertRight(operation, size, List.of(1, size - 1, size + 1), 0, size / 2, size - 1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfManyRanks(final Operation<?> operation) {
        for (int size = MAX_DENSE_RANKS + 1; size <= MAX_RANKS; size++) {
            assertOneCaseRight(operation, size);
        }
    }

    /** Proves all algorithms of an operation with one case, which varies with the size. */
    private static <C extends Call> void assertOneCaseRight(final Operation<C> operation, final int size) {
        final List<List<C>> cases = CallCases.of(operation, size, List.of(size + 1), size % 3 * (size - 1) / 2);
        final List<C> calls = cases.get((size + size / 4) % cases.size());
        table(size).everyIntra(operation).forEach(e -> PlanChecker.prove(operation, e, List.of(calls)));
    }

    /** A reproducible job needs a canonical algorithm of every reduction. */
    @Test
    void shouldHaveCanonicalBracketsForEveryReduction() {
        for (int size = 1; size <= MAX_RANKS; size++) {
            final AlgorithmTable table = table(size);
            for (final Operation<?> o : List.of(Operation.REDUCE, Operation.ALLREDUCE, Operation.SCAN, Operation.EXSCAN, Operation.REDUCE_SCATTER,
                Operation.REDUCE_SCATTER_BLOCK)) {
                assertTrue(table.everyIntra(o).stream().anyMatch(e -> e.order() == ReductionOrder.CANONICAL), () -> o + " of " + table);
            }
        }
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
        for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
            final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
            assertTrue(!table(size).intra(operation).skipEmpty() || empty == 0 || empty == size, () -> operation + " " + calls);
        }
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final int size, final Iterable<Integer> counts,
        final int... roots) {
        table(size).everyIntra(operation).forEach(e -> PlanChecker.prove(operation, e, CallCases.of(operation, size, counts, roots)));
    }
}
