package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Table;

/** Every algorithm of the module is spoilt in every task in every way, and the checker must notice each time. */
class FaultsTest {
    private static final Table TABLE = Comm.tableOf(new BasicModule());

    private int applied;

    static List<Operation<?>> operations() {
        return Operation.values();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void shouldFindEveryFaultInEveryTask(final Operation<?> operation) {
        for (final int size : new int[] {2, 3, 5, 8}) {
            spoilAll(operation, size);
        }
        assertTrue(applied > 100, () -> "applied=" + applied);
    }

    private <C extends Call> void spoilAll(final Operation<C> operation, final int size) {
        for (final List<C> calls : Settings.of(operation, size, List.of(size + 1), 0, size - 1)) {
            for (int rank = 0; rank < size; rank++) {
                for (final FaultyPlan.Fault fault : FaultyPlan.Fault.values()) {
                    spoil(operation, calls, rank, fault);
                }
            }
        }
    }

    private <C extends Call> void spoil(final Operation<C> operation, final List<C> calls, final int rank, final FaultyPlan.Fault fault) {
        if (isHarmless(operation, calls, fault)) {
            return;
        }
        final Table.Entry<C> entry = TABLE.intra(operation);
        final RecordingPlan sound = new RecordingPlan(rank, calls.size(), calls.get(rank));
        entry.algorithm().plan(calls.get(rank), sound);
        for (int task = 0; task < sound.tasks().size(); task++) {
            final Spoilt<C> spoilt = new Spoilt<>(entry.algorithm(), rank, task, fault);
            final Optional<CounterExample> found = PlanChecker.check(operation, entry.name(), spoilt, calls);
            if (spoilt.applied) {
                applied++;
                final int victim = task;
                assertTrue(found.isPresent(), () -> "not found: " + fault + " in rank " + rank + ", task " + victim + " ("
                    + sound.tasks().get(victim) + ") of " + operation + " " + calls.get(rank) + ", size=" + calls.size());
            }
        }
    }

    /** Operands may be swapped where they commute; a barrier of other than 2^k ranks tells some things twice. */
    private static <C extends Call> boolean isHarmless(final Operation<C> operation, final List<C> calls, final FaultyPlan.Fault fault) {
        return switch (fault) {
            case SWAPPED_OPERANDS -> new Contract(operation, calls).isCommutative();
            case MISSING_DEPENDENCY -> operation == Operation.BARRIER && Integer.bitCount(calls.size()) > 1;
            default -> false;
        };
    }

    /** An algorithm with a mistake on one rank. */
    private static final class Spoilt<C extends Call> implements Algorithm<C> {
        private final Algorithm<C> algorithm;
        private final int rank;
        private final int task;
        private final FaultyPlan.Fault fault;
        private boolean applied;

        Spoilt(final Algorithm<C> algorithm, final int rank, final int task, final FaultyPlan.Fault fault) {
            this.algorithm = algorithm;
            this.rank = rank;
            this.task = task;
            this.fault = fault;
        }

        @Override
        public void plan(final C call, final Plan plan) {
            if (plan.rank() != rank) {
                algorithm.plan(call, plan);
                return;
            }
            final FaultyPlan faulty = new FaultyPlan(plan, fault, task);
            try {
                algorithm.plan(call, faulty);
            } finally {
                applied = faulty.isApplied();
            }
        }
    }
}
