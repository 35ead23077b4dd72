package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.Mutation;
import tutti.coll.tck.SingleRankComm;

class AlgorithmsTest {
    private static final int MAX_ALL_CASES_RANKS = 8;
    private static final int MAX_DENSE_RANKS = 17;
    private static final int MAX_RANKS = 64;

    private static AlgorithmTable table(final int size) {
        return SingleRankComm.tableOf(new BasicModule(), new SingleRankComm(size, false));
    }

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(table(4));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemands(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MAX_ALL_CASES_RANKS; size++) {
            algorithm.prove(table(size), size, CallCases.counts(size), CallCases.allRoots(size));
        }
        for (int size = MAX_ALL_CASES_RANKS + 1; size <= MAX_DENSE_RANKS; size++) {
            algorithm.prove(table(size), size, List.of(1, size - 1, size + 1), 0, size / 2, size - 1);
        }
    }

    /** Proves every algorithm with one case, which varies with the size. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldDoWhatTheOperationDemandsOfManyRanks(final AlgorithmProof<?> algorithm) {
        for (int size = MAX_DENSE_RANKS + 1; size <= MAX_RANKS; size++) {
            algorithm.proveOne(table(size), size, size + 1, size % 3 * (size - 1) / 2, size + size / 4);
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final AlgorithmProof<?> algorithm) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 8}) {
            applied += algorithm.proveNoneRedundant(table(size), size, List.of(size + 1),
                (calls, s) -> isHarmless(algorithm.operation(), size, s.mutation()), 0, size - 1);
        }
        assertTrue(applied > 50, "applied=" + applied);
    }

    /** Returns whether a mutation is harmless: in a barrier of other than 2^k ranks some notifications are redundant. */
    private static boolean isHarmless(final Operation<?> operation, final int size, final Mutation fault) {
        return operation == Operation.BARRIER && Integer.bitCount(size) > 1 && fault == Mutation.MISSING_DEPENDENCY;
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
}
