package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.coll.Tunable;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.UserPreferences;

/**
 * The selection policy of one communicator: makes decisions by the preferences of the user and by rules.
 *
 * <p>The order of choice for an operation:
 * <ol>
 * <li>the module or algorithm that the user picked for the operation;
 * <li>the module or algorithm that a hint of the program names for the operation;
 * <li>the modules that the user listed in {@code coll.select}, in that order;
 * <li>on a hidden communicator, the modules that the module named that made it, in that order;
 * <li>the rules, first those that earlier jobs have {@linkplain RuleTable#learnt learnt}. With the {@linkplain RuleTable#isDefault default table}, a
 *     module that no rule names precedes the other rules that name modules of lower priority;
 * <li>all other modules, by priority and name.
 * </ol>
 * The algorithms of a module keep the module's order. An algorithm that a pick, a hint or a rule names with values of parameters has these values
 * for the calls that it serves; of a hint or a rule, those that the user did not set for the job.
 *
 * @param preferences the preferences of the user
 * @param preferred   names of the modules that the module named that made the communicator; else empty
 * @param rules       the job's rules
 * @param applicable  those of them that apply to the communicator
 * @param comm        the shape of the communicator
 * @param hints       the hints of the program on the communicator
 * @param tunes       whether calls try other algorithms than the decisions name
 */
record SelectionPolicy(UserPreferences preferences, List<String> preferred, RuleTable rules, LayoutRules applicable, CommShape comm,
    CommHints hints, boolean tunes) {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final String PREFERRED = "was named by the module that made the communicator";
    private static final String FIRST = "comes first in " + UserPreferences.SELECT;

    /** Makes the decision for an operation; {@code order} is the modules in the order of choice. */
    <C extends Call> Decision<C> decide(final Operation<C> operation, final List<Candidate> order) {
        return new Decision<>(operation, comm, hints.averageBlock(), draft(operation, order, null), triable(operation, order), rules);
    }

    /**
     * Returns all algorithms that tuning may try for an operation: those of the modules that the user listed or, where the user listed none, of all
     * modules. None where the user or the program picked one.
     */
    private <C extends Call> List<Alternative<C>> triable(final Operation<C> operation, final List<Candidate> order) {
        final List<Alternative<C>> all = new ArrayList<>();
        if (tunes && preferences.pick(operation) == null && hints.pick(operation) == null) {
            final boolean isListed = order.stream().anyMatch(c -> preferences.names(c.name()));
            for (final Candidate c : order) {
                if (!isListed || preferences.names(c.name())) {
                    c.entries(operation).stream().filter(e -> allows(operation, e.order())).forEach(e -> all.add(
                        new Alternative<>(c, new Selection.SelectedAlgorithm<>(c.module(), e, Collections.emptySortedMap()), null, null)));
                }
            }
        }
        return all;
    }

    /**
     * Returns the values of one more parameter that are worth trying for an algorithm, besides the one that it has. A parameter that the user set for
     * the job keeps the user's value.
     *
     * @param index number of the parameter among those of the algorithm that have such values, from 0
     * @param bytes bytes of the calls
     * @return the parameters of the algorithm with each of these values; null when there is no such parameter
     */
    @Nullable
    List<SortedMap<String, String>> variants(final Selection.SelectedAlgorithm<?> of, final int index, final long bytes) {
        final String module = of.module().id().name();
        final List<Tunable> tunables = of.entry().tunables().stream()
            .filter(t -> !t.candidates().isEmpty() && !preferences.sets(UserPreferences.parameterOf(module, t.parameter()))).toList();
        if (index >= tunables.size()) {
            return null;
        }
        final Tunable t = tunables.get(index);
        final long limit = switch (t.limit()) {
            case RANKS -> comm.size();
            case BYTES -> bytes;
            case NONE -> Long.MAX_VALUE;
        };
        final String job = preferences.value(UserPreferences.parameterOf(module, t.parameter()));
        final String own = of.parameters().getOrDefault(t.parameter(), job == null ? "" : job);
        final Set<Long> effects = new HashSet<>();
        if (NUMBER.matcher(own).matches()) {
            effects.add(Math.min(limit, Long.parseLong(own)));
        }
        final List<SortedMap<String, String>> variants = new ArrayList<>();
        for (final long value : t.candidates()) {
            if (effects.add(Math.min(limit, value))) {
                final SortedMap<String, String> values = new TreeMap<>(of.parameters());
                values.put(t.parameter(), Long.toString(value));
                variants.add(Collections.unmodifiableSortedMap(values));
            }
        }
        return variants;
    }

    /** Returns the requests for an operation that cannot be met, one sentence each. */
    List<String> notes(final Operation<?> operation, final List<Candidate> order) {
        final List<String> notes = new ArrayList<>();
        draft(operation, order, notes);
        return notes;
    }

    private <C extends Call> List<Alternative<C>> draft(final Operation<C> operation, final List<Candidate> order,
        final @Nullable List<String> notes) {
        final Draft<C> draft = new Draft<>(this, operation, order, notes);
        draft.pick();
        draft.hint();
        for (final Candidate c : order) {
            if (preferences.names(c.name())) {
                draft.addAll(c, FIRST);
            }
        }
        for (final String name : preferred) {
            order.stream().filter(c -> c.name().equals(name)).forEach(c -> draft.addAll(c, PREFERRED));
        }
        draft.rules();
        for (final Candidate c : order) {
            draft.addAll(c, null);
        }
        return draft.alternatives;
    }

    /** Returns what a hint names for an operation, without the parameters that the user set for the job; null when none does. */
    private @Nullable AlgorithmRef hinted(final Operation<?> operation) {
        final AlgorithmRef ref = hints.pick(operation);
        return ref == null ? null : LayoutRules.withoutGiven(ref, preferences);
    }

    private String hintName(final Operation<?> operation) {
        return "hint " + CommHints.keyOf(operation) + " of communicator " + comm.name();
    }

    private String hintReason(final Operation<?> operation) {
        return "is named by " + hintName(operation);
    }

    /** Returns whether a hint is the reason why an algorithm serves an operation. */
    boolean isHinted(final Operation<?> operation, final @Nullable String reason) {
        return hintReason(operation).equals(reason);
    }

    /** Returns the sets of values of a module's parameters that rules, picks and hints name, in the same order on all ranks. */
    Set<SortedMap<String, String>> tuned(final String module) {
        final Set<SortedMap<String, String>> tuned = new LinkedHashSet<>(applicable.tuned(module));
        for (final Operation<?> o : Operation.values()) {
            final AlgorithmRef ref = hinted(o);
            if (ref != null && ref.module().equals(module) && !ref.parameters().isEmpty()) {
                tuned.add(ref.parameters());
            }
        }
        return tuned;
    }

    /** Returns what is wrong with the hint for an operation; null when it can be met, or modules are left out for another reason. */
    @Nullable
    String hintProblem(final Operation<?> operation, final List<Candidate> order, final List<String> known) {
        final AlgorithmRef ref = hinted(operation);
        if (ref == null) {
            return null;
        }
        final String problem = !known.contains(ref.module()) ? "no such module; allowed: " + String.join(", ", known)
            : new Draft<>(this, operation, order, null).mistake(ref);
        return problem == null ? null : CommHints.keyOf(operation) + "=" + hints.pick(operation) + ": " + problem;
    }

    /** Returns whether an algorithm of this reduction order may serve an operation at all. */
    boolean allows(final Operation<?> operation, final ReductionOrder order) {
        return !RuleCondition.isReduction(operation) || order == ReductionOrder.CANONICAL || !preferences.reproducible();
    }

    /** A decision in the making. */
    private static final class Draft<C extends Call> {
        private final SelectionPolicy policy;
        private final Operation<C> operation;
        private final List<Candidate> order;
        private final List<Alternative<C>> alternatives = new ArrayList<>();
        /** The requests that cannot be met; null when nobody asks for them. */
        private final @Nullable List<String> notes;
        private boolean complete;

        Draft(final SelectionPolicy policy, final Operation<C> operation, final List<Candidate> order, final @Nullable List<String> notes) {
            this.policy = policy;
            this.operation = operation;
            this.order = order;
            this.notes = notes;
        }

        void pick() {
            final AlgorithmRef ref = policy.preferences.pick(operation);
            if (ref != null) {
                final String parameter = UserPreferences.parameterOf(operation);
                if (notes != null) {
                    note(notes, parameter, List.of(ref));
                }
                add(ref, null, "was picked by " + parameter);
            }
        }

        void hint() {
            final AlgorithmRef ref = policy.hinted(operation);
            if (ref != null) {
                if (notes != null) {
                    note(notes, policy.hintName(operation), List.of(ref));
                }
                add(ref, null, policy.hintReason(operation));
            }
        }

        /** Returns why a module that offers the operation does not have what a reference names; null when it does. */
        @Nullable
        String mistake(final AlgorithmRef ref) {
            final Candidate c = candidate(ref.module());
            final boolean isMistaken = c != null && c.offers(operation)
                && (c.problem(ref.parameters()) != null || entries(c, ref).isEmpty() || !takes(entries(c, ref).getFirst(), ref));
            return isMistaken ? "module " + ref.module() + obstacle(ref) : null;
        }

        void rules() {
            for (final LayoutRules.NumberedRule numbered : policy.applicable.of(operation)) {
                if (complete) {
                    return;
                }
                final SelectionRule rule = numbered.rule();
                if (notes != null) {
                    note(notes, policy.rules.name(numbered.index()), numbered.refs());
                }
                for (final AlgorithmRef ref : numbered.refs()) {
                    if (!policy.rules.isLearnt(numbered.index())) {
                        addUnnamedAbove(ref.module());
                    }
                    add(ref, rule, null);
                }
            }
        }

        /** Adds the modules of a higher priority that the default table cannot know. */
        private void addUnnamedAbove(final String module) {
            final Candidate named = policy.rules.isDefault() ? candidate(module) : null;
            for (int i = 0; named != null && i < order.size(); i++) {
                final Candidate c = order.get(i);
                if (c.priority() > named.priority() && !policy.applicable.mentions(c.name())) {
                    addAll(c, "has a higher priority and no rule of " + policy.rules.source() + " names it");
                }
            }
        }

        /** Adds notes when none of the references can be selected: why, for each of them. */
        private void note(final List<String> to, final String source, final List<AlgorithmRef> refs) {
            if (refs.stream().noneMatch(u -> obstacle(u) == null)) {
                refs.forEach(u -> to.add(source + " cannot select " + u + ": module " + u.module() + obstacle(u)));
            }
        }

        /** Returns why a reference cannot be selected for any call; null when it can. */
        private @Nullable String obstacle(final AlgorithmRef ref) {
            final Candidate c = candidate(ref.module());
            return c == null ? " is not used on this communicator"
                : !c.offers(operation) ? " does not offer " + operation + " on all ranks"
                : c.problem(ref.parameters()) != null ? " " + c.problem(ref.parameters())
                : entries(c, ref).isEmpty() ? " offers " + String.join(", ",
                    c.entries(operation, ref.parameters()).stream().map(AlgorithmTable.Entry::name).toList())
                : !takes(entries(c, ref).getFirst(), ref) ? " has no such parameter for this algorithm: its parameters="
                    + entries(c, ref).getFirst().tunables().stream().map(Tunable::parameter).toList()
                : entries(c, ref).stream().noneMatch(e -> policy.allows(operation, e.order())) ? " has a " + policy.exclusionReason(operation) : null;
        }

        private @Nullable Candidate candidate(final String module) {
            for (final Candidate c : order) {
                if (c.name().equals(module)) {
                    return c;
                }
            }
            return null;
        }

        private List<AlgorithmTable.Entry<C>> entries(final Candidate c, final AlgorithmRef ref) {
            return c.entries(operation, ref.parameters()).stream().filter(e -> ref.algorithm() == null || e.name().equals(ref.algorithm())).toList();
        }

        /** Returns whether an algorithm has all parameters of a reference. */
        private static boolean takes(final AlgorithmTable.Entry<?> entry, final AlgorithmRef ref) {
            return ref.parameters().isEmpty()
                || entry.tunables().stream().map(Tunable::parameter).collect(Collectors.toSet()).containsAll(ref.parameters().keySet());
        }

        private void add(final AlgorithmRef ref, final @Nullable SelectionRule rule, final @Nullable String why) {
            final Candidate c = candidate(ref.module());
            if (c != null) {
                for (final AlgorithmTable.Entry<C> e : c.entries(operation, ref.parameters())) {
                    if ((ref.algorithm() == null || e.name().equals(ref.algorithm())) && takes(e, ref)) {
                        add(new Alternative<>(c, new Selection.SelectedAlgorithm<>(c.module(), e, ref.parameters()), rule, why));
                    }
                }
            }
        }

        void addAll(final Candidate c, final @Nullable String why) {
            for (final AlgorithmTable.Entry<C> e : c.entries(operation)) {
                add(new Alternative<>(c, new Selection.SelectedAlgorithm<>(c.module(), e, Collections.emptySortedMap()), null, why));
            }
        }

        private void add(final Alternative<C> a) {
            if (!complete && policy.allows(operation, a.chosen().entry().order())) {
                alternatives.add(a);
                complete = a.servesAll(RuleCondition.isReduction(operation));
            }
        }
    }

    /** Returns why an algorithm may not serve an operation at all: the unsuitable reduction order, as a noun phrase. */
    String exclusionReason(final Operation<?> operation) {
        return preferences.reproducible() && RuleCondition.isReduction(operation)
            ? "non-canonical reduction order; " + UserPreferences.REPRODUCIBLE + "=true"
            : "reduction order for commutative operations only; not every rank knows whether the operation commutes";
    }
}
