package tutti.runtime.select;

import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.ReductionOrder;
import tutti.runtime.policy.SelectionRule;

/**
 * An algorithm that can serve an operation, with the condition for the calls that it serves.
 *
 * @param candidate the module of the algorithm
 * @param chosen    module and algorithm
 * @param rule      the rule whose conditions a call must meet; null for all calls
 * @param reason    why it precedes others, as a predicate of the module; null where the rule or the module's priority is the reason
 * @param <C>       the type of the operation's calls
 */
record Alternative<C extends Call>(Candidate candidate, Selection.SelectedAlgorithm<C> chosen, @Nullable SelectionRule rule,
    @Nullable String reason) {

    /** Returns whether it serves a call of these properties. */
    boolean serves(final CallProperties call) {
        return order().serves(call.reduction()) && (rule == null || rule.matches(call.values()));
    }

    /** Returns whether it serves every call; {@code reduces} tells whether the operation is a reduction. */
    boolean servesAll(final boolean reduces) {
        return (!reduces || order() != ReductionOrder.ANY) && (rule == null || !rule.dependsOnCall());
    }

    private ReductionOrder order() {
        return chosen.entry().order();
    }
}
