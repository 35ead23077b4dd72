package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Table;

/**
 * Spoils the plans of an algorithm in every task in every way, one at a time, and has {@link PlanChecker} look for the mistake.
 *
 * <p>A mistake that makes no difference shows what the algorithm does in vain: a task or a dependency that is not needed.
 * Operands that may be swapped are not. Stateless; safe for any thread.
 */
public final class Faults {

    /**
     * A mistake that made no difference.
     *
     * @param fault the mistake
     * @param rank  in whose plan
     * @param task  in which task
     */
    public record Unnoticed(Fault fault, int rank, Task task) { }

    /**
     * What came of it.
     *
     * @param applied   how many mistakes were made
     * @param unnoticed those that made no difference
     */
    public record Outcome(int applied, List<Unnoticed> unnoticed) {
        /** Copies the list. */
        public Outcome {
            unnoticed = List.copyOf(unnoticed);
        }
    }

    private Faults() { }

    /**
     * Makes every mistake in one call.
     *
     * @param calls what each rank calls; as many as there are ranks
     */
    public static <C extends Call> Outcome inEveryTask(final Operation<C> operation, final Table.Entry<C> entry, final List<C> calls) {
        int applied = 0;
        final List<Unnoticed> unnoticed = new ArrayList<>();
        for (int rank = 0; rank < calls.size(); rank++) {
            final RecordingPlan sound = new RecordingPlan(rank, calls.size(), calls.get(rank));
            entry.algorithm().plan(calls.get(rank), sound);
            for (final Fault fault : Fault.values()) {
                if (fault == Fault.SWAPPED_OPERANDS && new Contract(operation, calls, Groups.one(calls.size())).isCommutative()) {
                    continue;
                }
                for (final Task task : sound.tasks()) {
                    final Spoilt<C> spoilt = new Spoilt<>(entry.algorithm(), rank, task.id(), fault);
                    final Optional<CounterExample> found = PlanChecker.check(operation, entry.name(), spoilt, calls);
                    applied += spoilt.applied ? 1 : 0;
                    if (spoilt.applied && found.isEmpty()) {
                        unnoticed.add(new Unnoticed(fault, rank, task));
                    }
                }
            }
        }
        return new Outcome(applied, unnoticed);
    }

    /** An algorithm with a mistake on one rank. */
    private static final class Spoilt<C extends Call> implements Algorithm<C> {
        private final Algorithm<C> algorithm;
        private final int rank;
        private final int task;
        private final Fault fault;
        private boolean applied;

        Spoilt(final Algorithm<C> algorithm, final int rank, final int task, final Fault fault) {
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
