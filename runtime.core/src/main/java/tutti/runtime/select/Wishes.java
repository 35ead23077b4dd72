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
 * <p>The order of choice for an operation: the module or algorithm that the user picked for it; modules that the user named first; rules;
 * all other modules by priority and name. Of a module the first algorithm comes first.
 *
 * @param preferences of the user
 * @param rules       of the job; they say nothing of intercommunicators
 * @param layout      of the communicator
 * @param inter       whether it is an intercommunicator
 */
record Wishes(Preferences preferences, Rules rules, Layout layout, boolean inter) {

    /** In numbers: all ranks must have the same. */
    long hash() {
        return 31L * rules.toString().hashCode() + (inter ? 0 : layout.toString().hashCode());
    }

    /** Decides for an operation, by modules in the order of choice. */
    <C extends Call> Decision<C> decide(final Operation<C> operation, final List<Candidate> order) {
        final Draft<C> draft = new Draft<>(this, operation, order);
        draft.pick();
        order.stream().filter(c -> preferences.names(c.name())).forEach(c -> draft.addAll(c, null, "comes first in " + Preferences.SELECT));
        if (!inter) {
            draft.rules();
        }
        order.forEach(c -> draft.addAll(c, null, null));
        return draft.decision();
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
        private final List<String> notes = new ArrayList<>();
        private boolean complete;

        Draft(final Wishes wishes, final Operation<C> operation, final List<Candidate> order) {
            this.wishes = wishes;
            this.operation = operation;
            this.order = order;
        }

        void pick() {
            final String module = wishes.preferences.pick(operation);
            if (module != null) {
                add(module, wishes.preferences.algorithm(operation), null, Preferences.parameterOf(operation), "was picked by "
                    + Preferences.parameterOf(operation));
            }
        }

        void rules() {
            for (int i = 0; i < wishes.rules.rules().size(); i++) {
                final Rule rule = wishes.rules.rules().get(i);
                if (!complete && rule.concerns(operation, wishes.layout)) {
                    add(rule.module(), rule.algorithm(), rule, wishes.rules.name(i), "is named by " + wishes.rules.name(i));
                }
            }
        }

        /** Adds what somebody named, or notes why it cannot be. */
        private void add(final String module, final String algorithm, final Rule rule, final String by, final String why) {
            final Candidate c = order.stream().filter(o -> o.name().equals(module)).findFirst().orElse(null);
            final String what = algorithm == null ? module : module + "/" + algorithm;
            if (c == null || !c.offers(operation)) {
                notes.add(by + " cannot have " + what + ": module " + module + (c == null ? " is not used here" : " does not offer " + operation
                    + " on all ranks"));
                return;
            }
            final List<Table.Entry<C>> entries = c.entries(operation).stream().filter(e -> algorithm == null || e.name().equals(algorithm)).toList();
            if (entries.isEmpty()) {
                notes.add(by + " cannot have " + what + ": module " + module + " offers "
                    + String.join(", ", c.entries(operation).stream().map(Table.Entry::name).toList()));
            } else if (entries.stream().noneMatch(e -> wishes.allows(operation, e.order()))) {
                notes.add(by + " cannot have " + what + ": " + wishes.objection(operation));
            }
            entries.forEach(e -> add(c, e, rule, why));
        }

        void addAll(final Candidate c, final Rule rule, final String why) {
            c.entries(operation).forEach(e -> add(c, e, rule, why));
        }

        private void add(final Candidate c, final Table.Entry<C> entry, final Rule rule, final String why) {
            if (!complete && wishes.allows(operation, entry.order())) {
                final Alternative<C> a = new Alternative<>(c, new Selection.Chosen<>(c.module(), entry), rule, why);
                alternatives.add(a);
                complete = a.takesAll(Traits.reduces(operation));
            }
        }

        Decision<C> decision() {
            return new Decision<>(operation, wishes.inter, alternatives, notes);
        }
    }

    /** Why an algorithm may not serve an operation at all. */
    String objection(final Operation<?> operation) {
        return preferences.reproducible() && Traits.reduces(operation) ? "brackets of its own; " + Preferences.REPRODUCIBLE + "=true"
            : "combines in any order, and not every rank knows whether " + operation + " commutes";
    }
}
