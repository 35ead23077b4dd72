package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.AlgorithmTable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ReductionOrder;

/**
 * What is wanted of the selection on one communicator, by the user and by rules; decides by it.
 *
 * <p>The order of choice for an operation: the module or algorithm that the user picked for it; modules that the user named first; rules,
 * before those of a table that {@linkplain RuleTable#yields yields} the modules of higher priority that it does not know; all
 * other modules by priority and name. Of a module the first algorithm comes first.
 *
 * @param preferences of the user
 * @param rules       of the job; they say nothing of intercommunicators
 * @param layout      of the communicator
 * @param inter       whether it is an intercommunicator
 */
record SelectionPolicy(UserPreferences preferences, RuleTable rules, NodeLayout layout, boolean inter) {

    /** Decides for an operation, by modules in the order of choice. */
    <C extends Call> Decision<C> decide(final Operation<C> operation, final List<Candidate> order) {
        return new Decision<>(operation, inter, draft(operation, order, null));
    }

    /** What was wanted for an operation and cannot be, a sentence each. */
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

    /** Whether an algorithm may serve an operation at all. */
    boolean allows(final Operation<?> operation, final ReductionOrder order) {
        return !CallProperties.reduces(operation) || (order == ReductionOrder.CANONICAL || !preferences.reproducible())
            // in the root's group of an intercommunicator not every rank knows whether the operation commutes
            && (order != ReductionOrder.ANY || !inter || operation != (Operation<?>) Operation.REDUCE);
    }

    /** A decision that is being made. */
    private static final class Draft<C extends Call> {
        private final SelectionPolicy wishes;
        private final Operation<C> operation;
        private final List<Candidate> order;
        private final List<Alternative<C>> alternatives = new ArrayList<>();
        private final List<String> notes;
        private boolean complete;

        Draft(final SelectionPolicy wishes, final Operation<C> operation, final List<Candidate> order, final List<String> notes) {
            this.wishes = wishes;
            this.operation = operation;
            this.order = order;
            this.notes = notes;
        }

        void pick() {
            final AlgorithmRef use = wishes.preferences.pick(operation);
            if (use != null) {
                final String parameter = UserPreferences.parameterOf(operation);
                note(parameter, List.of(use));
                add(use, null, "was picked by " + parameter);
            }
        }

        void rules() {
            final List<Candidate> strangers = wishes.rules.yields() ? order.stream().filter(c -> !wishes.rules.knows(c.name())).toList() : List.of();
            for (int i = 0; i < wishes.rules.rules().size(); i++) {
                final SelectionRule rule = wishes.rules.rules().get(i);
                if (!complete && rule.concerns(operation, wishes.layout)) {
                    note(wishes.rules.name(i), rule.uses());
                    for (final AlgorithmRef use : rule.uses()) {
                        final Candidate c = named(use.module());
                        strangers.stream().filter(s -> c != null && s.priority() > c.priority())
                            .forEach(s -> addAll(s, "has a higher priority, and " + wishes.rules.source() + " does not know it"));
                        add(use, rule, null);
                    }
                }
            }
        }

        /** Says why nothing of what somebody named can be. */
        private void note(final String by, final List<AlgorithmRef> uses) {
            if (notes != null && uses.stream().noneMatch(u -> obstacle(u) == null)) {
                uses.forEach(u -> notes.add(by + " cannot have " + u + ": module " + u.module() + obstacle(u)));
            }
        }

        /** Why it cannot be had for any call; null when it can. */
        private String obstacle(final AlgorithmRef use) {
            final Candidate c = named(use.module());
            return c == null ? " is not used here"
                : !c.offers(operation) ? " does not offer " + operation + " on all ranks"
                : entries(c, use).isEmpty() ? " offers " + String.join(", ", c.entries(operation).stream().map(AlgorithmTable.Entry::name).toList())
                : entries(c, use).stream().noneMatch(e -> wishes.allows(operation, e.order())) ? " has " + wishes.objection(operation) : null;
        }

        private Candidate named(final String module) {
            return order.stream().filter(c -> c.name().equals(module)).findFirst().orElse(null);
        }

        private List<AlgorithmTable.Entry<C>> entries(final Candidate c, final AlgorithmRef use) {
            return c.entries(operation).stream().filter(e -> use.algorithm() == null || e.name().equals(use.algorithm())).toList();
        }

        private void add(final AlgorithmRef use, final SelectionRule rule, final String why) {
            final Candidate c = named(use.module());
            if (c != null) {
                entries(c, use).forEach(e -> add(c, e, rule, why));
            }
        }

        void addAll(final Candidate c, final String why) {
            c.entries(operation).forEach(e -> add(c, e, null, why));
        }

        private void add(final Candidate c, final AlgorithmTable.Entry<C> entry, final SelectionRule rule, final String why) {
            if (!complete && wishes.allows(operation, entry.order())) {
                final Alternative<C> a = new Alternative<>(c, new Selection.SelectedAlgorithm<>(c.module(), entry), rule, why);
                alternatives.add(a);
                complete = a.takesAll(CallProperties.reduces(operation));
            }
        }
    }

    /** Why an algorithm may not serve an operation at all. */
    String objection(final Operation<?> operation) {
        return preferences.reproducible() && CallProperties.reduces(operation) ? "brackets of its own; " + UserPreferences.REPRODUCIBLE + "=true"
            : "an order of its own, and not every rank knows whether the operation commutes";
    }
}
