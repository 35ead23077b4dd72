package tutti.runtime.select;

import java.util.List;
import tutti.coll.ReductionOrder;

/**
 * Why an operation is served as it is on a communicator. The same on every rank.
 *
 * @param operation id of the operation
 * @param module    the module that serves it, name and version; null when none does. Where that differs from call to call, of the call that
 *                  was asked about: one that commutes, is not in place, and has the bytes that were given or none
 * @param algorithm its algorithm; null when none does
 * @param priority  of the module
 * @param others    every other module that a node of the job holds, and why it does not serve
 * @param rule      the rule that decided, or that none did; null when the job has no rules or the user picked by a parameter
 * @param notes     what the user or a rule wanted and cannot have, a sentence each
 * @param choices   who serves which calls, where that was asked for
 * @param offers    the algorithms that a rule or the user may name, those of each module in its order
 */
public record Explanation(String operation, String module, String algorithm, int priority, List<ExcludedModule> others, String rule,
    List<String> notes,
                          List<Choice> choices, List<Offer> offers) {
    /**
     * An algorithm that is there.
     *
     * @param module    name of its module
     * @param algorithm its name
     * @param order     how it combines
     */
    public record Offer(String module, String algorithm, ReductionOrder order) {
        /** As rules and parameters name it. */
        @Override
        public String toString() {
            return module + "/" + algorithm;
        }
    }

    /**
     * Calls that are served alike.
     *
     * @param calls     which calls: empty for all, else {@code not commutative}, {@code in place} or both
     * @param bytes     of the calls, as in {@link MessageBytes}
     * @param module    that serves them, name and version; null when none does
     * @param algorithm its algorithm; null when none does
     * @param rule      the name of the rule that decided; null when none did
     */
    public record Choice(String calls, LongRange bytes, String module, String algorithm, String rule) { }

    /** Copies the lists. */
    public Explanation {
        others = List.copyOf(others);
        notes = List.copyOf(notes);
        choices = List.copyOf(choices);
        offers = List.copyOf(offers);
    }
}
