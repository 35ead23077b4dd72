package tutti.runtime.select;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of rules. The first rule that a call meets and that can serve it decides; where none does, modules are taken in their order.
 *
 * @param source where it comes from, for people
 * @param rules  in order; the first has number 1
 * @param yields whether a module that no rule names comes before the rules that name modules of lower priority: so it is with a table that
 *               nobody asked for, which cannot know what was installed since it was made
 */
public record RuleTable(String source, List<SelectionRule> rules, boolean yields) {
    /** The parameter that names a file with a table, or says {@link #NO}. */
    public static final String PARAMETER = "coll.rules";
    /** The value of the parameter for no rules. */
    public static final String NO = "none";
    /** No rules. */
    public static final RuleTable NONE = new RuleTable(NO, List.of());

    /** A table that the user asked for. */
    public RuleTable(final String source, final List<SelectionRule> rules) {
        this(source, rules, false);
    }

    /** Copies the list. */
    public RuleTable {
        rules = List.copyOf(rules);
    }

    /** The same as a table that nobody asked for. */
    public RuleTable yielding() {
        return new RuleTable(source, rules, true);
    }

    /** Whether a rule names the module. */
    boolean knows(final String module) {
        return rules.stream().anyMatch(r -> r.uses().stream().anyMatch(u -> u.module().equals(module)));
    }

    /** A rule, by its place from 0, in words: {@code rule 3 of rules.json}. */
    String name(final int place) {
        return "rule " + (place + 1) + " of " + source;
    }

    /** What people should know of rules that decide nothing: for each a sentence. */
    public List<String> warnings() {
        final List<String> warnings = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).isVain()) {
                warnings.add(name(i) + " never matches: not every rank knows the bytes of " + rules.get(i).operation());
                continue;
            }
            for (int k = 0; k < i; k++) {
                if (rules.get(k).covers(rules.get(i))) {
                    warnings.add(name(i) + " never matches while rule " + (k + 1) + " can serve, which covers it (" + rules.get(i)
                        + "; rule " + (k + 1) + ": " + rules.get(k) + ")");
                    break;
                }
            }
        }
        return warnings;
    }
}
