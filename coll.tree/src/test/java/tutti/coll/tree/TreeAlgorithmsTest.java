package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
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

    /** An algorithm, for any parameters. */
    private record Offer<C extends Call>(Operation<C> operation, String name) {
        /** Returns its entry in the table; none for a radix with which it is not offered. */
        List<AlgorithmTable.Entry<C>> with(final int k, final long segment) {
            return table(k, segment).everyIntra(operation).stream().filter(e -> e.name().equals(name)).toList();
        }

        @Override
        public String toString() {
            return operation + " " + name;
        }
    }

    private static AlgorithmTable table(final int k, final long segment) {
        return TreeModule.table(new KnomialTree(k), new KaryTree(k), segment, k);
    }

    static Stream<Offer<?>> offers() {
        return Operation.values().stream().flatMap(TreeAlgorithmsTest::offersOf);
    }

    private static <C extends Call> Stream<Offer<C>> offersOf(final Operation<C> operation) {
        return table(2, LONG).everyIntra(operation).stream().map(e -> new Offer<>(operation, e.name()));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    <C extends Call> void shouldImplementTheOperationOnFewRanks(final Offer<C> offer) {
        for (int size = 1; size <= MAX_RANKS_DENSE; size++) {
            prove(offer, 2, 12, size, CallCases.counts(size), IntStream.of(0, size / 2, size - 1).distinct().toArray());
            prove(offer, 4, 12, size, List.of(0, size + 1), CallCases.allRoots(size));
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    <C extends Call> void shouldImplementTheOperationOnManyRanks(final Offer<C> offer) {
        for (int size = MAX_RANKS_DENSE + 1; size <= MAX_RANKS; size++) {
            prove(offer, 2, SHORT, size, List.of(size + 1), size / 3);
            prove(offer, 4, SHORT, size, List.of(size - 1), size - 1);
        }
    }

    /** Checks segments of one byte, that is of one element, and of all data, with other radices. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    <C extends Call> void shouldImplementTheOperationWithAnyParameters(final Offer<C> offer) {
        for (final int size : new int[] {2, 5, 9, 13, 30}) {
            for (final int k : new int[] {3, 5, 8, 16, 1000}) {
                prove(offer, k, 1, size, List.of(7), 0, size / 2);
                prove(offer, k, LONG, size, List.of(7), 0, size / 2);
            }
        }
    }

    private static <C extends Call> void prove(final Offer<C> offer, final int k, final long segment, final int size,
        final Iterable<Integer> counts, final int... roots) {
        for (final AlgorithmTable.Entry<C> entry : offer.with(k, segment)) {
            PlanChecker.prove(offer.operation, entry, CallCases.of(offer.operation, size, counts, roots));
        }
    }

    /** The runtime skips a call by what one rank knows, so no other rank may wait for that rank. */
    @ParameterizedTest
    @MethodSource("offers")
    <C extends Call> void shouldOnlyLetCallsBeSkippedThatAreEmptyOnEveryRank(final Offer<C> offer) {
        for (int size = 2; size <= 5; size++) {
            for (final List<C> calls : CallCases.of(offer.operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
                final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
                assertTrue(!offer.with(2, LONG).getFirst().skipEmpty() || empty == 0 || empty == size, calls::toString);
            }
        }
    }

    /** Mutates every task in every way: no task is redundant, and the checker notices every mutation. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    <C extends Call> void shouldHaveNoRedundantTask(final Offer<C> offer) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 5, 6}) {
            for (final long segment : new long[] {8, LONG}) {
                for (final List<C> calls : CallCases.of(offer.operation, size, List.of(size + 1), 0, size - 1)) {
                    final AlgorithmTable.Entry<C> entry = offer.with(size == 6 ? 4 : 2, segment).getFirst();
                    final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(offer.operation, entry, calls);
                    final List<PlanMutations.Survived> unexpected = outcome.survived().stream()
                        .filter(u -> !isHarmless(offer.operation, calls.size(), u))
                        .toList();
                    assertEquals(List.of(), unexpected, calls::toString);
                    applied += outcome.applied();
                }
            }
        }
        final int all = applied;
        assertTrue(all > 100, () -> "applied=" + all);
    }

    /** The throttle orders transfers for the network only, not because of data. Each of two ranks receives from the other in any case. */
    private static boolean isHarmless(final Operation<?> operation, final int size, final PlanMutations.Survived unnoticed) {
        return unnoticed.mutation() == Mutation.MISSING_DEPENDENCY
            && (operation == Operation.GATHERV || operation == Operation.SCATTERV || operation == Operation.BARRIER && size == 2);
    }
}
