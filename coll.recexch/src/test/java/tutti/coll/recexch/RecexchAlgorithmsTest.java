package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.PlanChecker;

/**
 * Checks every algorithm of the module with {@link PlanChecker}: many settings and radices up to 17 ranks, then one setting per size with radix 2 and
 * one with another radix up to 64 ranks.
 */
class RecexchAlgorithmsTest {
    private static final int MAX_RANKS_COMPLETE = 9;
    private static final int MAX_RANKS_DENSE = 17;
    private static final int MAX_RANKS = 64;

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(RecexchModule.table(4, 2));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperation(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MAX_RANKS_DENSE; size++) {
            for (final int k : size <= MAX_RANKS_COMPLETE ? new int[] {2, 3, 4, 8} : new int[] {2, 3}) {
                if (size <= MAX_RANKS_COMPLETE) {
                    algorithm.prove(RecexchModule.table(size, k), size, CallCases.counts(size), CallCases.allRoots(size));
                } else {
                    algorithm.prove(RecexchModule.table(size, k), size, List.of(1, size - 1, size + 1), 0, size / 2, size - 1);
                }
            }
        }
    }

    /** Checks one setting, a different one for each size. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnManyRanks(final AlgorithmProof<?> algorithm) {
        for (int size = MAX_RANKS_DENSE + 1; size <= MAX_RANKS; size++) {
            for (final int k : new int[] {2, size % 2 == 0 ? 3 : size % 4 == 1 ? 4 : 8}) {
                algorithm.proveOne(RecexchModule.table(size, k), size, size + 1, size / 3, size + k + size / 4);
            }
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final AlgorithmProof<?> algorithm) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 6}) {
            for (final int k : new int[] {2, 3}) {
                applied +=
                    algorithm.proveNoneRedundant(RecexchModule.table(size, k), size, new TreeSet<>(List.of(2, size + 1)), (calls, s) -> false, 0,
                        size - 1);
            }
        }
        assertTrue(applied > 100, "applied=" + applied);
    }
}
