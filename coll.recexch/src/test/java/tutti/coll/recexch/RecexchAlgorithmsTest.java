package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

/**
 * Checks every algorithm of the module with {@link PlanChecker}: many settings and radices up to 17 ranks, then one setting per size with radix 2 and
 * one with another radix up to 64 ranks.
 */
class RecexchAlgorithmsTest {
    private static final int MAX_RANKS_COMPLETE = 9;
    private static final int MAX_RANKS_DENSE = 17;
    private static final int MAX_RANKS = 64;

    /** An algorithm, by its index in the table. */
    record Case(Operation<?> operation, int index, String name) {
        @Override
        public String toString() {
            return operation + " " + name;
        }
    }

    static Stream<Case> algorithms() {
        final AlgorithmTable table = RecexchModule.table(4, 2);
        return Operation.values().stream().flatMap(o -> IntStream.range(0, table.everyIntra(o).size())
            .mapToObj(i -> new Case(o, i, table.everyIntra(o).get(i).name())));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperation(final Case algorithm) {
        for (int size = 1; size <= MAX_RANKS_DENSE; size++) {
            for (final int k : size <= MAX_RANKS_COMPLETE ? new int[] {2, 3, 4, 8} : new int[] {2, 3}) {
                if (size <= MAX_RANKS_COMPLETE) {
                    assertCorrect(algorithm.operation, algorithm.index, k, size, CallCases.counts(size), CallCases.allRoots(size));
                } else {
                    assertCorrect(algorithm.operation, algorithm.index, k, size, List.of(1, size - 1, size + 1), 0, size / 2, size - 1);
                }
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnManyRanks(final Case algorithm) {
        for (int size = MAX_RANKS_DENSE + 1; size <= MAX_RANKS; size++) {
            for (final int k : new int[] {2, size % 2 == 0 ? 3 : size % 4 == 1 ? 4 : 8}) {
                assertOneCaseCorrect(algorithm.operation, algorithm.index, k, size);
            }
        }
    }

    /** Checks one setting, a different one for each size. */
    private static <C extends Call> void assertOneCaseCorrect(final Operation<C> operation, final int index, final int k, final int size) {
        final List<List<C>> cases = CallCases.of(operation, size, List.of(size + 1), size / 3);
        PlanChecker.prove(operation, RecexchModule.table(size, k).everyIntra(operation).get(index),
            List.of(cases.get((size + k + size / 4) % cases.size())));
    }

    private static <C extends Call> void assertCorrect(final Operation<C> operation, final int index, final int k, final int size,
        final Iterable<Integer> counts, final int... roots) {
        final AlgorithmTable.Entry<C> entry = RecexchModule.table(size, k).everyIntra(operation).get(index);
        PlanChecker.prove(operation, entry, CallCases.of(operation, size, counts, roots));
    }

    /** The runtime skips a call by what one rank knows, so no other rank may wait for that rank. */
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldOnlyLetCallsBeSkippedThatAreEmptyOnEveryRank(final Case algorithm) {
        for (int size = 1; size <= 5; size++) {
            assertSkippable(algorithm.operation, algorithm.index, size);
        }
    }

    private static <C extends Call> void assertSkippable(final Operation<C> operation, final int index, final int size) {
        final boolean skips = RecexchModule.table(size, 2).everyIntra(operation).get(index).skipEmpty();
        assertEquals(operation != Operation.BARRIER, skips);
        for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
            final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
            assertTrue(!skips || empty == 0 || empty == size, () -> operation + " " + calls);
        }
    }

    /** Mutates every task in every way: no task is redundant, and the checker notices every mutation. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final Case algorithm) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 6}) {
            for (final int k : new int[] {2, 3}) {
                applied += mutateAll(algorithm.operation, algorithm.index, RecexchModule.table(size, k), size);
            }
        }
        final int all = applied;
        assertTrue(all > 100, () -> "applied=" + all);
    }

    private static <C extends Call> int mutateAll(final Operation<C> operation, final int index, final AlgorithmTable table, final int size) {
        int applied = 0;
        for (final List<C> calls : CallCases.of(operation, size, new TreeSet<>(List.of(2, size + 1)), 0, size - 1)) {
            final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, table.everyIntra(operation).get(index), calls);
            assertEquals(List.of(), outcome.survived(), () -> operation + " " + calls);
            applied += outcome.applied();
        }
        return applied;
    }
}
