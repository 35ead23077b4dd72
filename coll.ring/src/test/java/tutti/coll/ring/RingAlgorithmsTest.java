package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.PlanChecker;

/**
 * Checks every algorithm of the module with {@link PlanChecker}: segments from shorter than an element to longer than all data, throttles from one to
 * more than the number of ranks, and ranks in blocks on nodes and distributed in turn. Up to 6 ranks every segment length is checked in every
 * setting, up to 17 ranks one segment length in some settings per size, and up to 64 ranks one setting per size.
 */
class RingAlgorithmsTest {
    private static final int MAX_RANKS_COMPLETE = 6;
    private static final int MAX_RANKS = 64;
    private static final long[] SEGMENTS = {1, 12, 65536};
    private static final int[] THROTTLES = {2, 1, 100};

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(RingModule.table(64, 1, RingOrder.BY_RANK));
    }

    private static RingOrder route(final int size, final boolean interleaved) {
        return interleaved ? RingOrder.byNode(size, rank -> rank % 3) : RingOrder.BY_RANK;
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperation(final AlgorithmProof<?> algorithm) {
        for (int size = 2; size <= MAX_RANKS_COMPLETE; size++) {
            for (int i = 0; i < SEGMENTS.length; i++) {
                final AlgorithmTable table = RingModule.table(SEGMENTS[i], THROTTLES[i], route(size, i == 1));
                algorithm.prove(table, size, CallCases.counts(size), CallCases.allRoots(size));
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnMoreRanks(final AlgorithmProof<?> algorithm) {
        for (int size = MAX_RANKS_COMPLETE + 1; size <= 17; size++) {
            final AlgorithmTable table = RingModule.table(SEGMENTS[size % 3], THROTTLES[size % 3], route(size, size % 2 == 0));
            algorithm.prove(table, size, List.of(size - 1, size + 1), 0, size / 2, size - 1);
        }
    }

    /** Checks one setting, a different one for each size. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnManyRanks(final AlgorithmProof<?> algorithm) {
        for (int size = 18; size <= MAX_RANKS; size++) {
            final AlgorithmTable table = RingModule.table(64, 8, route(size, size % 2 == 0));
            algorithm.proveOne(table, size, size % 4 == 0 ? size + 1 : 3, size * 2 / 3, size + size / 4);
        }
    }

    /** No task is redundant but for the throttle, which is larger here than the number of ranks. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final AlgorithmProof<?> algorithm) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 4}) {
            applied += mutate(algorithm, RingModule.table(8, 100, route(size, true)), size);
        }
        applied += mutate(algorithm, RingModule.table(65536, 100, RingOrder.BY_RANK), 3);
        assertTrue(applied > 100, "applied=" + applied);
    }

    private static int mutate(final AlgorithmProof<?> algorithm, final AlgorithmTable table, final int size) {
        return algorithm.proveNoneRedundant(table, size, List.of(size + 1), (calls, s) -> false, 0, size - 1);
    }
}
