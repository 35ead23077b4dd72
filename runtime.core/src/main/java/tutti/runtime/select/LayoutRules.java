package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tutti.coll.Operation;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** The rules of a job that apply to communicators of one layout, by operation. Immutable; the communicators of the layout share it. */
final class LayoutRules {
    private final List<List<NumberedRule>> byOperation = new ArrayList<>();
    private final Set<String> mentioned = new HashSet<>();

    /**
     * A rule with its place in the table.
     *
     * @param index from 0
     * @param rule  the rule
     */
    record NumberedRule(int index, SelectionRule rule) {}

    /** Finds the rules; the layout is null for intercommunicators, to which none apply. */
    LayoutRules(final RuleTable table, final NodeLayout layout) {
        for (final Operation<?> o : Operation.values()) {
            final List<NumberedRule> applicable = new ArrayList<>();
            for (int i = 0; layout != null && i < table.rules().size(); i++) {
                final SelectionRule rule = table.rules().get(i);
                if (rule.appliesTo(o, layout.ranks(), layout.nodes(), layout.ranksPerNode())) {
                    applicable.add(new NumberedRule(i, rule));
                }
            }
            byOperation.add(Collections.unmodifiableList(applicable));
        }
        table.rules().forEach(rule -> rule.refs().forEach(ref -> mentioned.add(ref.module())));
    }

    /** Returns the rules that apply to calls of an operation, in the order of the table. */
    List<NumberedRule> of(final Operation<?> operation) {
        return byOperation.get(operation.ordinal());
    }

    /** Returns whether any rule of the table names the module. */
    boolean mentions(final String module) {
        return mentioned.contains(module);
    }
}
