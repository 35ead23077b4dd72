package tutti.runtime.select;

import tutti.coll.Call;
import tutti.coll.ReductionOrder;

/**
 * One that can serve an operation, and the calls that it serves.
 *
 * @param candidate whose it is
 * @param chosen    module and algorithm
 * @param rule      whose conditions calls must meet; null for all calls
 * @param why       it comes before others, said of the module, for people; null where the rule or the module's priority says it
 * @param <C>       the call of the operation
 */
record Alternative<C extends Call>(Candidate candidate, Selection.SelectedAlgorithm<C> chosen, SelectionRule rule, String why) {

    /** Whether it serves such a call. */
    boolean takes(final CallProperties call) {
        return order().serves(call.reduction()) && (rule == null || rule.admits(call));
    }

    /** Whether it serves every call. */
    boolean takesAll(final boolean reduces) {
        return (!reduces || order() != ReductionOrder.ANY) && (rule == null || !rule.looksAtCalls());
    }

    private ReductionOrder order() {
        return chosen.entry().order();
    }
}
