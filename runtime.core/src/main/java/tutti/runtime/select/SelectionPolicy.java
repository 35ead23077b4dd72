package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.UserPreferences;

/**
 * The selection policy of one communicator: makes decisions by the preferences of the user and by rules.
 *
 * <p>The order of choice for an operation:
 * <ol>
 * <li>the module or algorithm that the user picked for the operation;
 * <li>the modules that the user listed in {@code coll.select}, in that order;
 * <li>the rules. With the {@linkplain RuleTable#isDefault default table}, a module that no rule names precedes the rules that name modules of
 *     lower priority;
 * <li>all other modules, by priority and name.
 * </ol>
 * The algorithms of a module keep the module's order.
 *
 * @param preferences the preferences of the user
 * @param rules       the job's rules; they do not apply to intercommunicators
 * @param applicable  those of them that apply to the layout
 * @param layout      the layout of the communicator; null for an intercommunicator
 * @param inter       whether it is an intercommunicator
 */
record SelectionPolicy(UserPreferences preferences, RuleTable rules, LayoutRules applicable, NodeLayout layout, boolean inter) {
    private static final String FIRST = "comes first in " + UserPreferences.SELECT;

    /** Makes the decision for an operation; {@code order} is the modules in the order of choice. */
    <C extends Call> Decision<C> decide(final Operation<C> operation, final List<Candidate> order) {
        return new Decision<>(operation, inter, draft(operation, order, null));
    }

    /** Returns the requests for an operation that cannot be met, one sentence each. */
    List<String> notes(final Operation<?> operation, final List<Candidate> order) {
        final List<String> notes = new ArrayList<>();
        draft(operation, order, notes);
        return notes;
    }

    private <C extends Call> List<Alternative<C>> draft(final Operation<C> operation, final List<Candidate> order, final List<String> notes) {
        final Draft<C> draft = new Draft<>(this, operation, order, notes);
        draft.pick();
        for (final Candidate c : order) {
            if (preferences.names(c.name())) {
                draft.addAll(c, FIRST);
            }
        }
        draft.rules();
        for (final Candidate c : order) {
            draft.addAll(c, null);
        }
        return draft.alternatives;
    }

    /** Returns whether an algorithm of this reduction order may serve an operation at all. */
    boolean allows(final Operation<?> operation, final ReductionOrder order) {
        return !SelectionRule.isReduction(operation) || (order == ReductionOrder.CANONICAL || !preferences.reproducible())
            // in the root's group of an intercommunicator, not every rank knows whether the operation commutes
            && (order != ReductionOrder.ANY || !inter || operation != (Operation<?>) Operation.REDUCE);
    }

    /** A decision in the making. */
    private static final class Draft<C extends Call> {
        private final SelectionPolicy policy;
        private final Operation<C> operation;
        private final List<Candidate> order;
        private final List<Alternative<C>> alternatives = new ArrayList<>();
        private final List<String> notes;
        private boolean complete;

        Draft(final SelectionPolicy policy, final Operation<C> operation, final List<Candidate> order, final List<String> notes) {
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
                    note(parameter, List.of(ref));
                }
                add(ref, null, "was picked by " + parameter);
            }
        }

        void rules() {
            for (final LayoutRules.NumberedRule numbered : policy.applicable.of(operation)) {
                if (complete) {
                    return;
                }
                final SelectionRule rule = numbered.rule();
                if (notes != null) {
                    note(policy.rules.name(numbered.index()), rule.refs());
                }
                for (final AlgorithmRef ref : rule.refs()) {
                    addUnnamedAbove(ref.module());
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
        private void note(final String source, final List<AlgorithmRef> refs) {
            if (refs.stream().noneMatch(u -> obstacle(u) == null)) {
                refs.forEach(u -> notes.add(source + " cannot select " + u + ": module " + u.module() + obstacle(u)));
            }
        }

        /** Returns why a reference cannot be selected for any call; null when it can. */
        private String obstacle(final AlgorithmRef ref) {
            final Candidate c = candidate(ref.module());
            return c == null ? " is not used on this communicator"
                : !c.offers(operation) ? " does not offer " + operation + " on all ranks"
                : entries(c, ref).isEmpty() ? " offers " + String.join(", ", c.entries(operation).stream().map(AlgorithmTable.Entry::name).toList())
                : entries(c, ref).stream().noneMatch(e -> policy.allows(operation, e.order())) ? " has a " + policy.exclusionReason(operation) : null;
        }

        private Candidate candidate(final String module) {
            for (final Candidate c : order) {
                if (c.name().equals(module)) {
                    return c;
                }
            }
            return null;
        }

        private List<AlgorithmTable.Entry<C>> entries(final Candidate c, final AlgorithmRef ref) {
            return c.entries(operation).stream().filter(e -> ref.algorithm() == null || e.name().equals(ref.algorithm())).toList();
        }

        private void add(final AlgorithmRef ref, final SelectionRule rule, final String why) {
            final Candidate c = candidate(ref.module());
            if (c != null) {
                for (final AlgorithmTable.Entry<C> e : c.entries(operation)) {
                    if (ref.algorithm() == null || e.name().equals(ref.algorithm())) {
                        add(c, e, rule, why);
                    }
                }
            }
        }

        void addAll(final Candidate c, final String why) {
            for (final AlgorithmTable.Entry<C> e : c.entries(operation)) {
                add(c, e, null, why);
            }
        }

        private void add(final Candidate c, final AlgorithmTable.Entry<C> entry, final SelectionRule rule, final String why) {
            if (!complete && policy.allows(operation, entry.order())) {
                final Alternative<C> a = new Alternative<>(c, new Selection.SelectedAlgorithm<>(c.module(), entry), rule, why);
                alternatives.add(a);
                complete = a.servesAll(SelectionRule.isReduction(operation));
            }
        }
    }

    /** Returns why an algorithm may not serve an operation at all: the unsuitable reduction order, as a noun phrase. */
    String exclusionReason(final Operation<?> operation) {
        return preferences.reproducible() && SelectionRule.isReduction(operation)
            ? "non-canonical reduction order; " + UserPreferences.REPRODUCIBLE + "=true"
            : "reduction order for commutative operations only; not every rank knows whether the operation commutes";
    }
}
