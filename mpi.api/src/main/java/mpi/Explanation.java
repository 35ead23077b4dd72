package mpi;

import java.util.List;
import tutti.runtime.select.LongRange;

/**
 * Why a collective operation is served as it is on a communicator; an addition of Tutti's to the bindings. The same on every rank.
 *
 * @param operation in lower case, {@code reduce_scatter} for one
 * @param module    name and version of the module that serves it; null when none does. Where that differs from call to call, of calls that
 *                  commute, are not in place, and have the bytes that were asked about, or else none
 * @param algorithm the module's algorithm; null when none serves
 * @param priority  of the module on the communicator
 * @param others    every other module that a node of the job holds
 * @param rule      the rule that decided, or that none matched; null when the job has no rules or the user picked by a parameter
 * @param notes     what the user or a rule wanted and cannot have, a sentence each
 * @param choices   who serves which calls; empty when calls of a given size were asked about
 * @param offers    the algorithms that a rule or a parameter may name, as {@code MODULE/ALGORITHM}
 */
public record Explanation(String operation, String module, String algorithm, int priority, List<Other> others, String rule, List<String> notes,
                          List<Choice> choices, List<String> offers) {

    /**
     * A module that does not serve the operation.
     *
     * @param module its name, and its version where that is known
     * @param reason why it does not, {@code missing on node c} for one
     */
    public record Other(String module, String reason) { }

    /**
     * Calls that are served alike.
     *
     * @param calls     which calls: empty for all that no other choice names, else {@code not commutative}, {@code in place} or both
     * @param fromBytes fewest bytes of the call, which are those of the rules
     * @param toBytes   most bytes; {@link Long#MAX_VALUE} where there is no end
     * @param module    name and version of the module that serves them; null when none does
     * @param algorithm the module's algorithm; null when none serves
     * @param rule      the name of the rule that decided; null when none did
     */
    public record Choice(String calls, long fromBytes, long toBytes, String module, String algorithm, String rule) {
        /** One line. */
        @Override
        public String toString() {
            final String which = calls.isEmpty() ? "" : calls + ", ";
            return which + "bytes " + (fromBytes == 0 && toBytes == Long.MAX_VALUE ? "any" : new LongRange(fromBytes, toBytes)) + ": "
                + (module == null ? "no module" : module + ", algorithm " + algorithm) + (rule == null ? "" : " (" + rule + ")");
        }
    }

    /** Copies the lists. */
    public Explanation {
        others = List.copyOf(others);
        notes = List.copyOf(notes);
        choices = List.copyOf(choices);
        offers = List.copyOf(offers);
    }

    static Explanation of(final tutti.runtime.select.Explanation e) {
        return new Explanation(e.operation(), e.module(), e.algorithm(), e.priority(),
            e.others().stream().map(o -> new Other(o.module(), o.reason())).toList(), e.rule(), e.notes(),
            e.choices().stream().map(c -> new Choice(c.calls(), c.bytes().min(), c.bytes().max(), c.module(), c.algorithm(), c.rule())).toList(),
            e.offers().stream().map(Object::toString).toList());
    }

    /**
     * A line that says what serves, and indented lines: the rule that decided; who serves which calls, where they differ; what was wanted and
     * cannot be; and the other modules.
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
