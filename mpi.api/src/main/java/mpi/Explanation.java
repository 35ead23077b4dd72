package mpi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.policy.LongRange;

/**
 * The explanation of a selection: which module and algorithm serve a collective operation on a communicator, and why. An addition to the
 * bindings. The same on every rank.
 *
 * @param operation name in lower case, {@code reduce_scatter} for example
 * @param module    name and version of the selected module; null if no module serves the operation. If the selection differs from call to call, that
 *       of commutative calls that are not in place, for the bytes that were asked for, or else for 0 bytes
 * @param algorithm the module's algorithm; null if no module serves the operation
 * @param priority  priority of the module on the communicator
 * @param others    every other module that a node of the job has
 * @param rule      the rule that decided, or a text that none matched; null if the job has no rules or the user selected by a parameter
 * @param notes     what the user or a rule requested and cannot have, one sentence each
 * @param choices   the selection for each kind of calls; empty if calls of a given size were asked for
 * @param offers    the algorithms that a rule or a parameter may name, as {@code MODULE/ALGORITHM}
 */
public record Explanation(String operation, @Nullable String module, @Nullable String algorithm, int priority, List<Other> others,
    @Nullable String rule, List<String> notes, List<Choice> choices, List<String> offers) {

    /**
     * A module that does not serve the operation.
     *
     * @param module its name, and its version if that is known
     * @param reason why it does not serve the operation, {@code missing on node c} for example
     */
    public record Other(String module, String reason) {}

    /**
     * Calls with the same selection.
     *
     * @param calls     kind of calls: empty for all calls that no other choice covers, else {@code not commutative}, {@code in place} or both
     * @param fromBytes minimum bytes of the call, as rules count them
     * @param toBytes   maximum bytes of the call; {@link Long#MAX_VALUE} if there is no maximum
     * @param module    name and version of the selected module; null if no module serves the calls
     * @param algorithm the module's algorithm; null if no module serves the calls
     * @param rule      the name of the rule that decided; null if none did
     */
    public record Choice(String calls, long fromBytes, long toBytes, @Nullable String module, @Nullable String algorithm, @Nullable String rule) {
        /** Returns the choice as one line. */
        @Override
        public String toString() {
            final String which = calls.isEmpty() ? "" : calls + ", ";
            return which + "bytes " + (fromBytes == 0 && toBytes == Long.MAX_VALUE ? "any" : new LongRange(fromBytes, toBytes)) + ": "
                + (module == null ? "no module" : module + ", algorithm " + algorithm) + (rule == null ? "" : " (" + rule + ")");
        }
    }

    /** Creates an explanation; the lists are copied. */
    public Explanation {
        others = List.copyOf(others);
        notes = List.copyOf(notes);
        choices = List.copyOf(choices);
        offers = List.copyOf(offers);
    }

    static Explanation of(final tutti.runtime.introspect.Explanation e) {
        return new Explanation(e.operation(), e.module(), e.algorithm(), e.priority(),
            e.others().stream().map(o -> new Other(o.module(), o.reason())).toList(), e.rule(), e.notes(),
            e.choices().stream().map(c -> new Choice(c.calls(), c.bytes().min(), c.bytes().max(), c.module(), c.algorithm(), c.rule())).toList(),
            e.offers().stream().map(Object::toString).toList());
    }

    /**
     * Returns a line with the selected module and indented lines: the rule that decided; the choices, if they differ; the requests that cannot be
     * met; and the other modules.
     */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(operation).append("  ");
        if (module == null) {
            text.append("no module");
        } else {
            text.append(module).append(", algorithm ").append(algorithm).append(", priority ").append(priority);
        }
        if (rule != null) {
            text.append("\n  ").append(rule);
        }
        if (choices.size() > 1) {
            choices.forEach(c -> text.append("\n  ").append(c));
        }
        notes.forEach(n -> text.append("\n  ").append(n));
        others.forEach(o -> text.append("\n  not ").append(o.module()).append(": ").append(o.reason()));
        return text.toString();
    }
}
