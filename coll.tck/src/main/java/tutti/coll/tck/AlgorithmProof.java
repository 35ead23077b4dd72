package tutti.coll.tck;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;

/**
 * Proofs of one algorithm of a module, for the module's tests. The module's table is an argument of each proof, because it depends on the module's
 * parameters and on the number of ranks. All ranks are on one node.
 *
 * <p>A proof that fails throws {@link AssertionError} with a counter-example.
 *
 * @param operation the operation
 * @param name      the algorithm's name
 * @param <C>       the type of the operation's calls
 */
public record AlgorithmProof<C extends Call>(Operation<C> operation, String name) {

    /** Returns the proofs of all algorithms of a table for intracommunicators, as arguments of parameterized tests. */
    public static Stream<AlgorithmProof<?>> of(final AlgorithmTable table) {
        return Operation.values().stream().flatMap(o -> of(table, o));
    }

    private static <C extends Call> Stream<AlgorithmProof<?>> of(final AlgorithmTable table, final Operation<C> operation) {
        return table.everyIntra(operation).stream().map(e -> new AlgorithmProof<>(operation, e.name()));
    }

    /** Returns whether a table has the algorithm. */
    public boolean isIn(final AlgorithmTable table) {
        return table.everyIntra(operation).stream().anyMatch(e -> e.name().equals(name));
    }

    /**
     * Returns the algorithm's entry in a table.
     *
     * @throws IllegalArgumentException if there is none
     */
    public AlgorithmTable.Entry<C> in(final AlgorithmTable table) {
        return table.everyIntra(operation).stream().filter(e -> e.name().equals(name)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("not offered: algorithm=" + this));
    }

    /** Proves that the algorithm implements all calls of {@link CallCases#of}. */
    public void prove(final AlgorithmTable table, final int size, final Iterable<Integer> counts, final int... roots) {
        PlanChecker.prove(operation, in(table), CallCases.of(operation, size, counts, roots));
    }

    /**
     * Proves that the algorithm implements one of the calls of {@link CallCases#of}.
     *
     * @param count the count
     * @param root  the root
     * @param turn  selects the call; tests of many sizes take turns with the calls
     */
    public void proveOne(final AlgorithmTable table, final int size, final int count, final int root, final int turn) {
        final List<List<C>> cases = CallCases.of(operation, size, List.of(count), root);
        PlanChecker.prove(operation, in(table), List.of(cases.get(turn % cases.size())));
    }

    /**
     * Proves that no task is redundant: mutates every task in every way, and lets the checker find every mutation.
     *
     * @param harmless tells which mutations of which calls may survive
     * @return the number of mutations
     */
    public int proveNoneRedundant(final AlgorithmTable table, final int size, final Iterable<Integer> counts,
        final BiPredicate<List<C>, PlanMutations.Survived> harmless, final int... roots) {
        int applied = 0;
        for (final List<C> calls : CallCases.of(operation, size, counts, roots)) {
            final PlanMutations.Outcome outcome = PlanMutations.mutateEveryTask(operation, in(table), calls);
            final List<PlanMutations.Survived> survived = outcome.survived().stream().filter(s -> !harmless.test(calls, s)).toList();
            if (!survived.isEmpty()) {
                throw new AssertionError(this + " survives mutations: " + survived + ", calls=" + calls);
            }
            applied += outcome.applied();
        }
        return applied;
    }

    @Override
    public String toString() {
        return operation + " " + name;
    }
}
