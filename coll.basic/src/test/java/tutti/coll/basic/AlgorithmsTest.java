package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Table;
import tutti.coll.tck.PlanChecker;
import tutti.coll.tck.Settings;
import tutti.coll.tck.SoloComm;

class AlgorithmsTest {
    private static final int MOST_RANKS = 17;
    private static final Table TABLE = SoloComm.tableOf(new BasicModule(), new SoloComm(4, false));

    static List<Operation<?>> operations() {
        return Operation.values();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemands(final Operation<?> operation) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            assertRight(operation, size, Settings.counts(size), Settings.allRoots(size));
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDoWhatTheOperationDemandsOfManyRanks(final Operation<?> operation) {
        for (final int size : new int[] {31, 32, 33, 64, 100}) {
            assertRight(operation, size, List.of(size + 1), 0, size / 3, size - 1);
        }
    }

    /** The runtime decides by what one rank knows, so no other rank may wait for it. */
    @ParameterizedTest
    @MethodSource("operations")
    void shouldOnlyLetCallsBeSkippedThatAreEmptyOnEveryRank(final Operation<?> operation) {
        for (int size = 1; size <= 5; size++) {
            assertSkippable(operation, size);
        }
    }

    private static <C extends Call> void assertSkippable(final Operation<C> operation, final int size) {
        for (final List<C> calls : Settings.of(operation, size, Settings.counts(size), Settings.allRoots(size))) {
            final long empty = IntStream.range(0, size).filter(r -> calls.get(r).sendBytes(r) + calls.get(r).recvBytes(r) == 0).count();
            assertTrue(!TABLE.intra(operation).skipEmpty() || empty == 0 || empty == size, () -> operation + " " + calls);
        }
    }

    private static <C extends Call> void assertRight(final Operation<C> operation, final int size, final Iterable<Integer> counts,
                                                      final int... roots) {
        PlanChecker.prove(operation, TABLE.intra(operation), Settings.of(operation, size, counts, roots));
    }
}
