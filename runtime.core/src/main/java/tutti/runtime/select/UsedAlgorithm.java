package tutti.runtime.select;

import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.runtime.policy.AlgorithmRef;

/**
 * An algorithm of a module that another module uses on a communicator. It is looked up when a call is planned, since the module may change its table
 * when it is initialised.
 *
 * @param user      number of the module that uses it
 * @param candidate the module that offers it
 * @param operation the operation
 * @param ref       its name, or that of the module alone
 * @param <C>       the type of the operation's calls
 */
record UsedAlgorithm<C extends Call>(int user, Candidate candidate, Operation<C> operation, AlgorithmRef ref) implements Algorithm<C> {

    /** Returns why the algorithm cannot be used, as a predicate of the module that offers it; null when it can. Equal on all ranks. */
    @Nullable
    String obstacle() {
        return candidate.isExcluded() ? candidate.reason() : !candidate.offers(operation) ? "does not offer " + operation + " on all ranks"
            : candidate.entries(operation).stream().noneMatch(this::isNamed) ? "has no such algorithm for " + operation : null;
    }

    private boolean isNamed(final AlgorithmTable.Entry<C> entry) {
        return ref.algorithm() == null || ref.algorithm().equals(entry.name());
    }

    @Override
    public void plan(final C call, final Plan plan) {
        candidate.entries(operation).stream().filter(e -> isNamed(e) && e.order().serves(call.reduction())).findFirst()
            .orElseThrow(() -> new IllegalStateException(ref + " has no algorithm that serves the call: operation=" + operation + ", call=" + call))
            .algorithm().plan(call, plan);
    }

    @Override
    public String toString() {
        return operation + " of " + ref;
    }
}
