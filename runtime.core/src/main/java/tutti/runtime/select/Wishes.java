package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Order;
import tutti.coll.Table;

/**
 * What is wanted of the selection on one communicator, by the user and by rules; decides by it.
 *
 * <p>The order of choice for an operation: the module or algorithm that the user picked for it; modules that the user named first; rules,
 * before those of a table that {@linkplain Rules#yields yields} the modules of higher priority that it does not know; all
 * other modules by priority and name. Of a module the first algorithm comes first.
 *
 * @param preferences of the user
 * @param rules       of the job; they say nothing of intercommunicators
 * @param layout      of the communicator
 * @param inter       whether it is an intercommunicator
 */
record Wishes(Preferences preferences, Rules rules, Layout layout, boolean inter) {

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
        order.stream().filter(c -> preferences.names(c.name())).forEach(c -> draft.addAll(c, "comes first in " + Preferences.SELECT));
        if (!inter) {
            draft.rules();
        }
        order.forEach(c -> draft.addAll(c, null));
        return draft.alternatives;
    }

    /** Whether an algorithm may serve an operation at all. */
    boolean allows(final Operation<?> operation, final Order order) {
        return !Traits.reduces(operation) || (order == Order.CANONICAL || !preferences.reproducible())
            // in the root's group of an intercommunicator not every rank knows whether the operation commutes
            && (order != Order.ANY || !inter || operation != (Operation<?>) Operation.REDUCE);
    }

    /** A decision that is being made. */
    private static final class Draft<C extends Call> {
        private final Wishes wishes;
        private final Operation<C> operation;
        private final List<Candidate> order;
        private final List<Alternative<C>> alternatives = new ArrayList<>();
        private final List<String> notes;
        private boolean complete;

        Draft(final Wishes wishes, final Operation<C> operation, final List<Candidate> order, final List<String> notes) {
            this.wishes = wishes;
            this.operation = operation;
            this.order = order;
            this.notes = notes;
        }

        void pick() {
            final String module = wishes.preferences.pick(operation);
            if (module != null) {
                final String parameter = Preferences.parameterOf(operation);
                final String algorithm = wishes.preferences.algorithm(operation);
                note(parameter, module, algorithm);
                add(module, algorithm, null, "was picked by " + parameter);
            }
        }

        void rules() {
            final List<Candidate> strangers = wishes.rules.yields() ? order.stream().filter(c -> !wishes.rules.knows(c.name())).toList() : List.of();
            for (int i = 0; i < wishes.rules.rules().size(); i++) {
                final Rule rule = wishes.rules.rules().get(i);
                if (!complete && rule.concerns(operation, wishes.layout)) {
                    if (notes != null) {
                        note(wishes.rules.name(i), rule.module(), rule.algorithm());
                    }
                    final Candidate c = named(rule.module());
                    strangers.stream().filter(s -> c != null && s.priority() > c.priority())
                        .forEach(s -> addAll(s, "has a higher priority, and " + wishes.rules.source() + " does not know it"));
                    add(rule.module(), rule.algorithm(), rule, null);
                }
            }
        }

        /** Says why what somebody named cannot be. */
        private void note(final String by, final String module, final String algorithm) {
            final Candidate c = named(module);
            final String why = notes == null ? null : c == null ? " is not used here"
                : !c.offers(operation) ? " does not offer " + operation + " on all ranks"
                : entries(c, algorithm).isEmpty() ? " offers " + String.join(", ", c.entries(operation).stream().map(Table.Entry::name).toList())
                : entries(c, algorithm).stream().noneMatch(e -> wishes.allows(operation, e.order())) ? " has " + wishes.objection(operation) : null;
            if (why != null) {
                notes.add(by + " cannot have " + (algorithm == null ? module : module + "/" + algorithm) + ": module " + module + why);
            }
        }

        private Candidate named(final String module) {
            return order.stream().filter(c -> c.name().equals(module)).findFirst().orElse(null);
        }

        private List<Table.Entry<C>> entries(final Candidate c, final String algorithm) {
            return c.entries(operation).stream().filter(e -> algorithm == null || e.name().equals(algorithm)).toList();
        }

        private void add(final String module, final String algorithm, final Rule rule, final String why) {
            final Candidate c = named(module);
            if (c != null) {
                entries(c, algorithm).forEach(e -> add(c, e, rule, why));
            }
        }

        void addAll(final Candidate c, final String why) {
            c.entries(operation).forEach(e -> add(c, e, null, why));
        }

        private void add(final Candidate c, final Table.Entry<C> entry, final Rule rule, final String why) {
            if (!complete && wishes.allows(operation, entry.order())) {
                final Alternative<C> a = new Alternative<>(c, new Selection.Chosen<>(c.module(), entry), rule, why);
                alternatives.add(a);
                complete = a.takesAll(Traits.reduces(operation));
            }
        }
    }

    /** Why an algorithm may not serve an operation at all. */
    String objection(final Operation<?> operation) {
        return preferences.reproducible() && Traits.reduces(operation) ? "brackets of its own; " + Preferences.REPRODUCIBLE + "=true"
            : "an order of its own, and not every rank knows whether the operation commutes";
    }
}
