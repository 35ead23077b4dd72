package mpi;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
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
 * @param parameters the parameters of that algorithm that rules may set, with the values for these calls
 * @param priority  priority of the module on the communicator
 * @param others    every other module that a node of the job has
 * @param rule      the rule that decided, or a text that none matched; null if the job has no rules or the user selected by a parameter
 * @param notes     what the user or a rule requested and cannot have, one sentence each
 * @param choices   the selection for each kind of calls; empty if calls of a given size were asked for
 * @param offers    the algorithms that a rule or a parameter may name, as {@code MODULE/ALGORITHM}
 * @param tunables  the parameters that a rule may set for these algorithms
 */
public record Explanation(String operation, @Nullable String module, @Nullable String algorithm, List<Parameter> parameters, int priority,
    List<Other> others, @Nullable String rule, List<String> notes, List<Choice> choices, List<String> offers, List<Tunable> tunables) {

    /**
     * A parameter of an algorithm.
     *
     * @param name   name without the module's prefix, {@code segment} for example
     * @param value  the value with which the algorithm serves
     * @param origin the name of the rule, or of the job's parameter, that sets the value; null for the default of the job
     */
    public record Parameter(String name, String value, @Nullable String origin) {
        /** Returns the value and its origin. */
        @Override
        public String toString() {
            return name + "=" + value + " (" + (origin == null ? "default" : origin.indexOf(' ') < 0 ? "-p " + origin : origin) + ")";
        }
    }

    /**
     * A parameter of an offered algorithm that a rule or the user may set for calls.
     *
     * @param algorithm  the algorithm, {@code MODULE/ALGORITHM}
     * @param parameter  name of the parameter without the module's prefix
     * @param value      the job's value; null if it has none
     * @param limit      {@code ranks} or {@code bytes} if values above the ranks of the communicator or the bytes of the call have no further effect;
     *                   else {@code none}
     * @param candidates values worth measuring
     */
    public record Tunable(String algorithm, String parameter, @Nullable String value, String limit, List<Long> candidates) {
        /** Copies the list. */
        public Tunable {
            candidates = List.copyOf(candidates);
        }
    }

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
     * @param algorithm the module's algorithm, with the parameters that a rule or the user names for it; null if no module serves the calls
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

    /**
     * A collective that a rank's plan of a call nests on a hidden communicator of a module, and the algorithm that serves it there.
     *
     * @param operation    name in lower case
     * @param communicator name of the hidden communicator, {@code MPI_COMM_WORLD/smp.leaders} for example
     * @param bytes        length of the rank's larger buffer
     * @param module       name and version of the selected module
     * @param algorithm    the module's algorithm
     * @param reason       why it was selected: the request that names it, the rule, or the module's priority
     */
    public record Part(String operation, String communicator, long bytes, String module, String algorithm, String reason) {
        /** Returns the nested collective as one line. */
        @Override
        public String toString() {
            return operation + ", " + bytes + " bytes, on " + communicator + ": " + module + ", algorithm " + algorithm + " (" + reason + ")";
        }
    }

    /** Creates an explanation; the lists are copied. */
    public Explanation {
        parameters = List.copyOf(parameters);
        others = List.copyOf(others);
        notes = List.copyOf(notes);
        choices = List.copyOf(choices);
        offers = List.copyOf(offers);
        tunables = List.copyOf(tunables);
    }

    static Explanation of(final tutti.runtime.introspect.Explanation e) {
        return new Explanation(e.operation(), e.module(), e.algorithm(),
            e.parameters().stream().map(p -> new Parameter(p.name(), p.value(), p.origin())).toList(), e.priority(),
            e.others().stream().map(o -> new Other(o.module(), o.reason())).toList(), e.rule(), e.notes(),
            e.choices().stream().map(c -> new Choice(c.calls(), c.bytes().min(), c.bytes().max(), c.module(), c.algorithm(), c.rule())).toList(),
            e.offers().stream().map(Object::toString).toList(),
            e.offers().stream().flatMap(o -> o.parameters().stream().map(p -> new Tunable(o.toString(), p.tunable().parameter(), p.value(),
                p.tunable().limit().name().toLowerCase(Locale.ROOT), p.tunable().candidates()))).toList());
    }

    /**
     * Returns a line with the selected module and indented lines: the rule that decided; the algorithm's parameters; the choices, if they differ; the
     * requests that cannot be met; and the other modules.
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
        if (!parameters.isEmpty()) {
            text.append("\n  parameters ").append(parameters.stream().map(Parameter::toString).collect(Collectors.joining(", ")));
        }
        if (choices.size() > 1) {
            choices.forEach(c -> text.append("\n  ").append(c));
        }
        notes.forEach(n -> text.append("\n  ").append(n));
        others.forEach(o -> text.append("\n  not ").append(o.module()).append(": ").append(o.reason()));
        return text.toString();
    }
}
