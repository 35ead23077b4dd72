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
 * @param layout      the layout of the communicator; null for an intercommunicator
 * @param inter       whether it is an intercommunicator
 */
record SelectionPolicy(UserPreferences preferences, RuleTable rules, NodeLayout layout, boolean inter) {

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
        order.stream().filter(c -> preferences.names(c.name())).forEach(c -> draft.addAll(c, "comes first in " + UserPreferences.SELECT));
        if (!inter) {
            draft.rules();
        }
        order.forEach(c -> draft.addAll(c, null));
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
                note(parameter, List.of(ref));
                add(ref, null, "was picked by " + parameter);
            }
        }

        void rules() {
            final List<Candidate> unnamed = policy.rules.isDefault()
                ? order.stream().filter(c -> !policy.rules.mentions(c.name())).toList() : List.of();
            for (int i = 0; i < policy.rules.rules().size(); i++) {
                final SelectionRule rule = policy.rules.rules().get(i);
                if (!complete && rule.appliesTo(operation, policy.layout.ranks(), policy.layout.nodes(), policy.layout.ranksPerNode())) {
                    note(policy.rules.name(i), rule.refs());
                    for (final AlgorithmRef ref : rule.refs()) {
                        final Candidate c = candidate(ref.module());
                        unnamed.stream().filter(s -> c != null && s.priority() > c.priority())
                            .forEach(s -> addAll(s, "has a higher priority and no rule of " + policy.rules.source() + " names it"));
                        add(ref, rule, null);
                    }
                }
            }
        }

        /** Adds notes when none of the references can be selected: why, for each of them. */
        private void note(final String source, final List<AlgorithmRef> refs) {
            if (notes != null && refs.stream().noneMatch(u -> obstacle(u) == null)) {
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
            return order.stream().filter(c -> c.name().equals(module)).findFirst().orElse(null);
        }

        private List<AlgorithmTable.Entry<C>> entries(final Candidate c, final AlgorithmRef ref) {
            return c.entries(operation).stream().filter(e -> ref.algorithm() == null || e.name().equals(ref.algorithm())).toList();
        }

        private void add(final AlgorithmRef ref, final SelectionRule rule, final String why) {
            final Candidate c = candidate(ref.module());
            if (c != null) {
                entries(c, ref).forEach(e -> add(c, e, rule, why));
            }
        }

        void addAll(final Candidate c, final String why) {
            c.entries(operation).forEach(e -> add(c, e, null, why));
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
