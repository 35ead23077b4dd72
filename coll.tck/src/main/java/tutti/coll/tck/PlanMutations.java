package tutti.coll.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * Mutation testing of plans: applies every {@link Mutation} to every task of an algorithm's plans, one at a time, and has {@link PlanChecker} check
 * the mutant.
 *
 * <p>A mutation is killed if the checker finds a counter-example, and survives otherwise. A surviving mutation shows a task or a dependency that the
 * algorithm does not need. Mutations of a task to which they cannot apply are left out, as are swapped operands of an operation that commutes.
 * Stateless; safe for any thread.
 */
public final class PlanMutations {

    /**
     * A mutation that survived: the mutant is correct.
     *
     * @param mutation the mutation
     * @param rank  the rank whose plan was mutated, by index
     * @param task  the task before the mutation
     */
    public record Survived(Mutation mutation, int rank, RecordedTask task) {}

    /**
     * A mutation that was killed.
     *
     * @param mutation the mutation
     * @param rank  the rank whose plan was mutated, by index
     * @param task  the task before the mutation
     * @param counterExample the counter-example that killed it
     */
    public record Killed(Mutation mutation, int rank, RecordedTask task, CounterExample counterExample) {}

    /**
     * The outcome of mutation testing.
     *
     * @param killed   the mutations that were killed
     * @param survived the mutations that survived
     */
    public record Outcome(List<Killed> killed, List<Survived> survived) {
        /** Copies the lists. */
        public Outcome {
            killed = List.copyOf(killed);
            survived = List.copyOf(survived);
        }

        /** Returns the number of mutations that were applied. */
        public int applied() {
            return killed.size() + survived.size();
        }
    }

    private PlanMutations() {}

    /**
     * Mutates every task of one call, all ranks on one node.
     *
     * @param operation the operation
     * @param entry     the algorithm, with the properties that its module declares
     * @param calls     the call of each rank; its length is the number of ranks
     */
    public static <C extends Call> Outcome mutateEveryTask(final Operation<C> operation, final AlgorithmTable.Entry<C> entry, final List<C> calls) {
        return mutateEveryTask(PlanChecker.plans(CommGroups.intra(calls.size()), p -> entry.algorithm(), calls), operation, entry,
            CommGroups.intra(calls.size()), calls);
    }

    /**
     * Mutates every task of one call of an algorithm of a module that was set up on given nodes, including the tasks of nested collectives.
     *
     * @param operation the operation
     * @param module    the module
     * @param algorithm the name of the algorithm
     * @param calls     the call of each rank, by index
     * @throws IllegalArgumentException if the algorithm is not offered
     */
    public static <C extends Call> Outcome mutateEveryTask(final Operation<C> operation, final VirtualModule module, final String algorithm,
        final List<C> calls) {
        return mutateEveryTask(PlanChecker.plans(module.groups(), p -> module.algorithm(operation, algorithm, p), calls), operation,
            module.entry(operation, algorithm), module.groups(), calls);
    }

    private static <C extends Call> Outcome mutateEveryTask(final List<RecordedTasks> sound, final Operation<C> operation,
        final AlgorithmTable.Entry<C> entry,
        final CommGroups groups, final List<C> calls) {
        final CallContract contract = new CallContract(operation, calls, groups, entry.order());
        final List<Killed> killed = new ArrayList<>();
        final List<Survived> survived = new ArrayList<>();
        for (final RecordedTasks plan : sound) {
            for (final Mutation mutation : Mutation.values()) {
                if (mutation == Mutation.SWAPPED_OPERANDS && contract.isCommutative()) {
                    continue;
                }
                for (final RecordedTask task : plan.tasks()) {
                    new PlanMutator(sound, plan.index(), task).with(mutation).ifPresent(mutant -> {
                        final Optional<CheckFailure> failure = PlanMutator.refused(mutant, plan.index())
                            .or(() -> PlanChecker.findFailure(mutant, contract, groups));
                        failure.ifPresentOrElse(f -> killed.add(new Killed(mutation, plan.index(), task, PlanChecker.counterExample(operation,
                            entry.name(), calls, f))), () -> survived.add(new Survived(mutation, plan.index(), task)));
                    });
                }
            }
        }
        return new Outcome(killed, survived);
    }
}
