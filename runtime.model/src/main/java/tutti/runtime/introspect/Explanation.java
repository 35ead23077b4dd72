package tutti.runtime.introspect;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.MessageBytes;
import tutti.runtime.policy.RuleCondition;

/**
 * The explanation of a selection decision: which algorithm serves an operation on a communicator, and why. It is the same on every rank.
 *
 * @param operation id of the operation
 * @param module    name and version of the module that serves the operation; null when none does. Where this depends on the call, it refers
 *                  to a call of a predefined operation with regular blocks, not in place, that has the bytes that were given, or 0
 * @param algorithm the algorithm that serves; null when none does
 * @param parameters the parameters of that algorithm that a rule may set; empty when it has none
 * @param priority  the priority of that module
 * @param others    every other module that a node of the job holds, with the reason why it does not serve
 * @param rule      the rule that decided, or the statement that none matches; null when the job has no rules or a parameter decided
 * @param notes     requests of the user or of a rule that cannot be met, and what links the nodes, one sentence each
 * @param choices   the algorithm for each kind and size of calls; empty unless this was requested
 * @param offers    the algorithms that a rule or the user may name, those of each module in its order
 */
public record Explanation(String operation, @Nullable String module, @Nullable String algorithm, List<Parameter> parameters, int priority,
    List<ExcludedModule> others,
    @Nullable String rule,
    List<String> notes,
    List<Choice> choices, List<Offer> offers) {
    /**
     * A parameter of an algorithm.
     *
     * @param name   its name without the module's prefix
     * @param value  the value with which the algorithm serves
     * @param origin where the value comes from: the name of the rule or of the job's parameter that sets it; null for the default of the job
     */
    public record Parameter(String name, String value, @Nullable String origin) {}

    /**
     * A parameter of an algorithm that a rule or the user may set for calls.
     *
     * @param tunable the parameter
     * @param value   the value of the job; null when it has none
     */
    public record OfferedParameter(Tunable tunable, @Nullable String value) {}

    /**
     * An algorithm that is available.
     *
     * @param module     name of its module
     * @param algorithm  name of the algorithm
     * @param order      the order in which it reduces
     * @param parameters its parameters that a rule or the user may set for calls
     */
    public record Offer(String module, String algorithm, ReductionOrder order, List<OfferedParameter> parameters) {
        /** Copies the list. */
        public Offer {
            parameters = List.copyOf(parameters);
        }

        /** Returns the form that rules and parameters use. */
        @Override
        public String toString() {
            return module + "/" + algorithm;
        }
    }

    /**
     * A set of calls that the same algorithm serves.
     *
     * @param calls     the kind of calls: empty for all, else flags of {@link RuleCondition} such as {@code not commutative, in place}
     * @param bytes     the bytes of the calls as defined by {@link MessageBytes}
     * @param module    name and version of the module that serves them; null when none does
     * @param algorithm the algorithm that serves them, with the parameters that a rule or the user names for it; null when none does
     * @param rule      name of the rule that decided; null when none did
     */
    public record Choice(String calls, LongRange bytes, @Nullable String module, @Nullable String algorithm, @Nullable String rule) {}

    /** Returns this explanation with another note. */
    public Explanation with(final String note) {
        final List<String> all = new ArrayList<>(notes);
        all.add(note);
        return new Explanation(operation, module, algorithm, parameters, priority, others, rule, all, choices, offers);
    }

    /** Copies the lists. */
    public Explanation {
        parameters = List.copyOf(parameters);
        others = List.copyOf(others);
        notes = List.copyOf(notes);
        choices = List.copyOf(choices);
        offers = List.copyOf(offers);
    }
}
