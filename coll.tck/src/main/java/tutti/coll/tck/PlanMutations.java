package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * Spoils the plans of an algorithm in every task in every way, one at a time, and has {@link PlanChecker} look for the mistake.
 *
 * <p>A mistake that makes no difference shows what the algorithm does in vain: a task or a dependency that is not needed.
 * Operands that may be swapped are not. Stateless; safe for any thread.
 */
public final class PlanMutations {

    /**
     * A mistake that made no difference.
     *
     * @param fault the mistake
     * @param rank  in whose plan
     * @param task  in which task
     */
    public record Survived(Mutation fault, int rank, RecordedTask task) { }

    /**
     * A mistake that was found.
     *
     * @param fault the mistake
     * @param rank  in whose plan
     * @param task  in which task
     * @param found what was found
     */
    public record Killed(Mutation fault, int rank, RecordedTask task, CounterExample found) { }

    /**
     * What came of it.
     *
     * @param noticed   those that were found
     * @param unnoticed those that made no difference
     */
    public record Outcome(List<Killed> noticed, List<Survived> unnoticed) {
        /** Copies the lists. */
        public Outcome {
            noticed = List.copyOf(noticed);
            unnoticed = List.copyOf(unnoticed);
        }

        /** How many mistakes were made. */
        public int applied() {
            return noticed.size() + unnoticed.size();
        }
    }

    private PlanMutations() { }

    /**
     * Makes every mistake in one call, all ranks on one node.
     *
     * @param calls what each rank calls; as many as there are ranks
     */
    public static <C extends Call> Outcome inEveryTask(final Operation<C> operation, final AlgorithmTable.Entry<C> entry, final List<C> calls) {
        return inEveryTask(PlanChecker.plans(CommGroups.one(calls.size()), p -> entry.algorithm(), calls), operation, entry,
            CommGroups.one(calls.size()), calls);
    }

    /**
     * Makes every mistake in one call of an algorithm that was set up on given nodes, in nested collectives too.
     *
     * @param calls what each rank calls, by place
     */
    public static <C extends Call> Outcome inEveryTask(final Operation<C> operation, final VirtualModule ensemble, final String algorithm,
                                                       final List<C> calls) {
        return inEveryTask(PlanChecker.plans(ensemble.groups(), p -> ensemble.algorithm(operation, algorithm, p), calls), operation,
            ensemble.entry(operation, algorithm), ensemble.groups(), calls);
    }

    private static <C extends Call> Outcome inEveryTask(final List<RecordedTasks> sound, final Operation<C> operation,
        final AlgorithmTable.Entry<C> entry,
                                                        final CommGroups groups, final List<C> calls) {
        final CallContract contract = new CallContract(operation, calls, groups, entry.order());
        final List<Killed> noticed = new ArrayList<>();
        final List<Survived> unnoticed = new ArrayList<>();
        for (final RecordedTasks tape : sound) {
            for (final Mutation fault : Mutation.values()) {
                if (fault == Mutation.SWAPPED_OPERANDS && contract.isCommutative()) {
                    continue;
                }
                for (final RecordedTask task : tape.tasks()) {
                    new PlanMutator(sound, tape.place(), task).with(fault).ifPresent(tapes -> {
                        final Optional<CheckFailure> flaw = PlanMutator.refused(tapes, tape.place())
                            .or(() -> PlanChecker.findFlaw(tapes, contract, groups));
                        flaw.ifPresentOrElse(f -> noticed.add(new Killed(fault, tape.place(), task, PlanChecker.counterExample(operation,
                            entry.name(), calls, f))), () -> unnoticed.add(new Survived(fault, tape.place(), task)));
                    });
                }
            }
        }
        return new Outcome(noticed, unnoticed);
    }
}
