package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import tutti.coll.Operation;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.UserPreferences;

/**
 * The rules of a job that apply to communicators of one layout, by operation, and the values of parameters that these rules and the user's picks
 * name. A parameter that the user set for the job keeps the user's value, whatever rules name. Immutable; the communicators of the layout share it.
 */
final class LayoutRules {
    private final List<List<NumberedRule>> byOperation = new ArrayList<>();
    private final Set<String> mentioned = new HashSet<>();
    private final LinkSpeed link;
    private final Map<String, Set<SortedMap<String, String>>> tuned = new HashMap<>();

    /**
     * A rule with its place in the table.
     *
     * @param index from 0
     * @param rule  the rule
     * @param refs  its references, without the parameters that the user set for the job
     */
    record NumberedRule(int index, SelectionRule rule, List<AlgorithmRef> refs) {}

    /** Finds the rules. */
    LayoutRules(final RuleTable table, final NodeLayout layout, final UserPreferences preferences) {
        link = layout.link();
        for (final Operation<?> o : Operation.values()) {
            final AlgorithmRef pick = preferences.pick(o);
            if (pick != null) {
                add(pick);
            }
            final List<NumberedRule> applicable = new ArrayList<>();
            for (int i = 0; i < table.rules().size(); i++) {
                final SelectionRule rule = table.rules().get(i);
                if (rule.appliesTo(o, layout.values())) {
                    final List<AlgorithmRef> refs = rule.refs().stream().map(ref -> withoutGiven(ref, preferences)).toList();
                    refs.forEach(this::add);
                    applicable.add(new NumberedRule(i, rule, refs));
                }
            }
            byOperation.add(Collections.unmodifiableList(applicable));
        }
        table.withoutLearnt().rules().forEach(rule -> rule.refs().forEach(ref -> mentioned.add(ref.module())));
    }

    /** Returns a reference without the parameters that the user set for the job. */
    static AlgorithmRef withoutGiven(final AlgorithmRef ref, final UserPreferences preferences) {
        if (ref.parameters().keySet().stream().noneMatch(p -> preferences.sets(UserPreferences.parameterOf(ref.module(), p)))) {
            return ref;
        }
        final Map<String, String> values = new TreeMap<>(ref.parameters());
        values.keySet().removeIf(p -> preferences.sets(UserPreferences.parameterOf(ref.module(), p)));
        return ref.with(values);
    }

    private void add(final AlgorithmRef ref) {
        if (!ref.parameters().isEmpty()) {
            tuned.computeIfAbsent(ref.module(), m -> new LinkedHashSet<>()).add(ref.parameters());
        }
    }

    /** Returns the class of the links between the nodes of the layout. */
    LinkSpeed link() {
        return link;
    }

    /** Returns the rules that apply to calls of an operation, in the order of the table. */
    List<NumberedRule> of(final Operation<?> operation) {
        return byOperation.get(operation.ordinal());
    }

    /** Returns the sets of values of a module's parameters that rules and picks name, each once, in the same order on all ranks. */
    Set<SortedMap<String, String>> tuned(final String module) {
        return tuned.getOrDefault(module, Set.of());
    }

    /** Returns whether any rule of the table names the module that is not learnt. */
    boolean mentions(final String module) {
        return mentioned.contains(module);
    }
}
