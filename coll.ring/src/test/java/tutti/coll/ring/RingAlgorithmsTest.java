package tutti.coll.ring;

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
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.PlanMutations;

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

    /** An algorithm for an operation. */
    record Offer(Operation<?> operation, String name) {
        AlgorithmTable.Entry<?> in(final AlgorithmTable table) {
            return table.everyIntra(operation).stream().filter(e -> e.name().equals(name)).findFirst().orElseThrow();
        }

        @Override
        public String toString() {
            return operation + " " + name;
        }
    }

    static Stream<Offer> offers() {
        final AlgorithmTable table = RingModule.table(64, 1, RingOrder.BY_RANK);
        return Operation.values().stream().flatMap(o -> table.everyIntra(o).stream().map(e -> new Offer(o, e.name())));
    }

    private static RingOrder route(final int size, final boolean interleaved) {
        return interleaved ? RingOrder.byNode(size, rank -> rank % 3) : RingOrder.BY_RANK;
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    void shouldImplementTheOperation(final Offer offer) {
        for (int size = 2; size <= MAX_RANKS_COMPLETE; size++) {
            for (int i = 0; i < SEGMENTS.length; i++) {
                final AlgorithmTable table = RingModule.table(SEGMENTS[i], THROTTLES[i], route(size, i == 1));
                assertCorrect(offer, table, size, CallCases.counts(size), CallCases.allRoots(size));
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    void shouldImplementTheOperationOnMoreRanks(final Offer offer) {
        for (int size = MAX_RANKS_COMPLETE + 1; size <= 17; size++) {
            final AlgorithmTable table = RingModule.table(SEGMENTS[size % 3], THROTTLES[size % 3], route(size, size % 2 == 0));
            assertCorrect(offer, table, size, List.of(size - 1, size + 1), 0, size / 2, size - 1);
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    void shouldImplementTheOperationOnManyRanks(final Offer offer) {
        for (int size = 18; size <= MAX_RANKS; size++) {
            assertOneCaseCorrect(offer.operation, offer.in(RingModule.table(64, 8, route(size, size % 2 == 0))), size);
        }
    }

    /** Checks one setting, a different one for each size. */
    @SuppressWarnings("unchecked")
    private static <C extends Call> void assertOneCaseCorrect(final Operation<C> operation, final AlgorithmTable.Entry<?> entry, final int size) {
        final List<List<C>> cases = CallCases.of(operation, size, List.of(size % 4 == 0 ? size + 1 : 3), size * 2 / 3);
        PlanChecker.prove(operation, (AlgorithmTable.Entry<C>) entry, List.of(cases.get((size + size / 4) % cases.size())));
    }

    private static void assertCorrect(final Offer offer, final AlgorithmTable table, final int size, final Iterable<Integer> counts,
        final int... roots) {
        assertCorrect(offer.operation, offer.in(table), size, counts, roots);
    }

    @SuppressWarnings("unchecked")
    private static <C extends Call> void assertCorrect(final Operation<C> operation, final AlgorithmTable.Entry<?> entry, final int size,
        final Iterable<Integer> counts, final int... roots) {
        PlanChecker.prove(operation, (AlgorithmTable.Entry<C>) entry, CallCases.of(operation, size, counts, roots));
    }

    /** The runtime skips a call by what one rank knows, so no other rank may wait for that rank. */
    @ParameterizedTest
    @MethodSource("offers")
    void shouldOnlyLetCallsBeSkippedThatAreEmptyOnEveryRank(final Offer offer) {
        final boolean skips = offer.in(RingModule.table(64, 1, RingOrder.BY_RANK)).skipEmpty();
        assertEquals(offer.operation != Operation.ALLTOALLV && offer.operation != Operation.ALLTOALLW, skips);
        for (int size = 2; skips && size <= 5; size++) {
            assertSkippable(offer.operation, size);
        }
    }

    private static <C extends Call> void assertSkippable(final Operation<C> operation, final int size) {
        for (final List<C> calls : CallCases.of(operation, size, CallCases.counts(size), CallCases.allRoots(size))) {
            final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
            assertTrue(empty == 0 || empty == size, () -> operation + " " + calls);
        }
    }

    /** Mutates every task in every way: no task is redundant except for the throttle, and the checker notices every mutation. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("offers")
    void shouldHaveNoRedundantTask(final Offer offer) {
        int applied = 0;
        for (final int size : new int[] {2, 3, 4}) {
            applied += mutateAll(offer.operation, offer.in(RingModule.table(8, 100, route(size, true))), size);
        }
        applied += mutateAll(offer.operation, offer.in(RingModule.table(65536, 100, RingOrder.BY_RANK)), 3);
        final int all = applied;
        assertTrue(all > 100, () -> "applied=" + all);
    }

    @SuppressWarnings("unchecked")
    private static <C extends Call> int mutateAll(final Operation<C> operation, final AlgorithmTable.Entry<?> entry, final int size) {
        int applied = 0;
        for (final List<C> calls : CallCases.of(operation, size, List.of(size + 1), 0, size - 1)) {
            final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, (AlgorithmTable.Entry<C>) entry, calls);
            assertEquals(List.of(), outcome.survived(), () -> operation + " " + calls);
            applied += outcome.applied();
        }
        return applied;
    }
}
