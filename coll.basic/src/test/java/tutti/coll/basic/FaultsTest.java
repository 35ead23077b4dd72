package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.tck.CallCases;
import tutti.coll.tck.Mutation;
import tutti.coll.tck.PlanMutations;
import tutti.coll.tck.SingleRankComm;

/** Mutation test: every task of every algorithm is mutated in every way. The checker must detect each mutation, so no task is superfluous. */
class FaultsTest {
    private int applied;

    static List<Operation<?>> operations() {
        return Operation.values();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldDetectEveryMutationOfEveryTask(final Operation<?> operation) {
        for (final int size : new int[] {2, 3, 5, 8}) {
            mutateAll(operation, size);
        }
        assertTrue(applied > 100, () -> "applied=" + applied);
    }

    private <C extends Call> void mutateAll(final Operation<C> operation, final int size) {
        for (final List<C> calls : CallCases.of(operation, size, List.of(size + 1), 0, size - 1)) {
            for (final AlgorithmTable.Entry<C> e : SingleRankComm.tableOf(new BasicModule(), new SingleRankComm(size, false)).everyIntra(operation)) {
                final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, e, calls);
                applied += outcome.applied();
                assertEquals(List.of(), outcome.survived().stream().filter(u -> !isHarmless(operation, size, u.mutation())).toList(),
                    () -> operation + " " + e.name() + " " + calls);
            }
        }
    }

    /** Returns whether a mutation is harmless: in a barrier of other than 2^k ranks some notifications are redundant. */
    private static boolean isHarmless(final Operation<?> operation, final int size, final Mutation fault) {
        return operation == Operation.BARRIER && Integer.bitCount(size) > 1 && fault == Mutation.MISSING_DEPENDENCY;
    }
}
