package tutti.coll.dissem;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;

/** Proves every algorithm of the module, with radices from the minimum to more than the number of ranks. */
class DissemAlgorithmsTest {
    private static final int MAX_ALL_COUNTS_RANKS = 8;
    private static final int MAX_DENSE_RANKS = 17;
    private static final int MAX_RANKS = 64;
    private static final int[] RADICES = {2, 3, 5, 64};

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(DissemModule.table(2));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemands(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MAX_DENSE_RANKS; size++) {
            for (final int radix : RADICES) {
                algorithm.prove(DissemModule.table(radix), size, size <= MAX_ALL_COUNTS_RANKS ? CallCases.counts(size) : List.of(1, size + 1));
            }
        }
    }

    /** Proves one case per size and radix, in place or not. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemandsOfManyRanks(final AlgorithmProof<?> algorithm) {
        for (int size = MAX_DENSE_RANKS + 1; size <= MAX_RANKS; size++) {
            algorithm.proveOne(DissemModule.table(2), size, size % 3 + 1, 0, size);
            algorithm.proveOne(DissemModule.table(3 + size % 6), size, size % 3 + 1, 0, size + 1);
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final AlgorithmProof<?> algorithm) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 7}) {
            for (final int radix : new int[] {2, 3}) {
                applied += algorithm.proveNoneRedundant(DissemModule.table(radix), size, List.of(size + 1), (calls, s) -> false);
            }
        }
        assertTrue(applied > 100, "applied=" + applied);
    }
}
