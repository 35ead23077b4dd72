package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Operation;
import tutti.coll.tck.AlgorithmProof;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.Mutation;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;

/**
 * Checks every algorithm of the module with {@link PlanChecker}: radices 2 and 4 for every number of ranks up to 64, with many settings up to 17
 * ranks and with one count and one root above, and other radices and segment lengths for some numbers of ranks.
 */
class TreeAlgorithmsTest {
    private static final int MAX_RANKS_DENSE = 17;
    private static final int MAX_RANKS = 64;
    private static final int LONG = 65536;
    private static final int SHORT = 64;

    private static AlgorithmTable table(final int k, final long segment) {
        return TreeModule.table(new KnomialTree(k), new KaryTree(k), segment, k);
    }

    static Stream<AlgorithmProof<?>> algorithms() {
        return AlgorithmProof.of(table(2, LONG));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnFewRanks(final AlgorithmProof<?> algorithm) {
        for (int size = 1; size <= MAX_RANKS_DENSE; size++) {
            algorithm.prove(table(2, 12), size, CallCases.counts(size), IntStream.of(0, size / 2, size - 1).distinct().toArray());
            algorithm.prove(table(4, 12), size, List.of(0, size + 1), CallCases.allRoots(size));
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationOnManyRanks(final AlgorithmProof<?> algorithm) {
        for (int size = MAX_RANKS_DENSE + 1; size <= MAX_RANKS; size++) {
            algorithm.prove(table(2, SHORT), size, List.of(size + 1), size / 3);
            algorithm.prove(table(4, SHORT), size, List.of(size - 1), size - 1);
        }
    }

    /** Checks segments of one byte, that is of one element, and of all data, with other radices. Not every algorithm is offered with each. */
    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldImplementTheOperationWithAnyParameters(final AlgorithmProof<?> algorithm) {
        for (final int size : new int[] {2, 5, 9, 13, 30}) {
            for (final int k : new int[] {3, 5, 8, 16, 1000}) {
                if (algorithm.isIn(table(k, LONG))) {
                    algorithm.prove(table(k, 1), size, List.of(7), 0, size / 2);
                    algorithm.prove(table(k, LONG), size, List.of(7), 0, size / 2);
                }
            }
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("algorithms")
    void shouldHaveNoRedundantTask(final AlgorithmProof<?> algorithm) {
        int mutations = 0;
        for (final int size : new int[] {2, 3, 5, 6}) {
            for (final long segment : new long[] {8, LONG}) {
                mutations += algorithm.proveNoneRedundant(table(size == 6 ? 4 : 2, segment), size, List.of(size + 1),
                    (calls, s) -> isHarmless(algorithm.operation(), calls.size(), s), 0, size - 1);
            }
        }
        assertTrue(mutations > 100, "mutations=" + mutations);
    }

    /** The throttle orders transfers for the network only, not because of data. Each of two ranks receives from the other in any case. */
    private static boolean isHarmless(final Operation<?> operation, final int size, final PlanMutations.Survived unnoticed) {
        return unnoticed.mutation() == Mutation.MISSING_DEPENDENCY
            && (operation == Operation.GATHERV || operation == Operation.SCATTERV || operation == Operation.BARRIER && size == 2);
    }
}
