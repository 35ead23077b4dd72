package tutti.runtime.policy;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of selection rules. The first rule that a call meets and whose algorithm can serve it decides. Where no rule decides, the modules
 * are taken in the order of their priority.
 *
 * @param source name of the table, for messages
 * @param rules  the rules in order. The first that is not learnt has number 1
 * @param isDefault whether a module that no rule names precedes the rules that name modules of lower priority. This is true for the default
 *               table of a node, which cannot name modules that were installed after it was made
 * @param learnt why the first rules are there, one text for each: what earlier jobs have measured. These rules are not of the source, and precede
 *               all modules; empty for most tables
 */
public record RuleTable(String source, List<SelectionRule> rules, boolean isDefault, List<String> learnt) {
    /** The parameter that names a file with a table, or is {@link #VALUE_NONE}. */
    public static final String PARAMETER = "coll.rules";
    /** The value of the parameter for no rules. */
    public static final String VALUE_NONE = "none";
    /** The table without rules. */
    public static final RuleTable NONE = new RuleTable(VALUE_NONE, List.of());

    /** Creates a table that the user requested. */
    public RuleTable(final String source, final List<SelectionRule> rules) {
        this(source, rules, false);
    }

    /** Creates a table without learnt rules. */
    public RuleTable(final String source, final List<SelectionRule> rules, final boolean isDefault) {
        this(source, rules, isDefault, List.of());
    }

    /** Copies the lists. */
    public RuleTable {
        rules = List.copyOf(rules);
        learnt = List.copyOf(learnt);
        if (learnt.size() > rules.size()) {
            throw new IllegalArgumentException("more reasons than rules: reasons=" + learnt.size() + ", rules=" + rules.size());
        }
    }

    /** Returns whether another table decides alike, whatever its name is. */
    public boolean isAs(final RuleTable other) {
        return isDefault == other.isDefault && learnt.size() == other.learnt.size() && rules.equals(other.rules);
    }

    /** Returns the name of the table, and a hash of what it decides. */
    @Override
    public String toString() {
        return source + " #" + Integer.toHexString((rules + "," + isDefault + (learnt.isEmpty() ? "" : "," + learnt.size())).hashCode());
    }

    /** Returns the same rules as a default table. */
    public RuleTable asDefault() {
        return new RuleTable(source, rules, true, learnt);
    }

    /** Returns whether a rule, by its index from 0, is of what earlier jobs have measured. */
    public boolean isLearnt(final int index) {
        return index < learnt.size();
    }

    /** Returns the rules of the source, without those that are learnt. */
    public RuleTable withoutLearnt() {
        return learnt.isEmpty() ? this : new RuleTable(source, rules.subList(learnt.size(), rules.size()), isDefault);
    }

    /**
     * Returns the rules of the source after rules of what earlier jobs have measured, in the place of others.
     *
     * @param first   these rules
     * @param reasons what was measured, one text for each
     */
    public RuleTable withLearnt(final List<SelectionRule> first, final List<String> reasons) {
        final List<SelectionRule> all = new ArrayList<>(first);
        all.addAll(withoutLearnt().rules);
        return new RuleTable(source, all, isDefault, reasons);
    }

    /** Writes the table. */
    public void write(final DataOutput out) throws IOException {
        out.writeUTF(source);
        out.writeBoolean(isDefault);
        out.writeInt(rules.size());
        for (final SelectionRule rule : rules) {
            rule.write(out);
        }
        out.writeInt(learnt.size());
        for (final String reason : learnt) {
            out.writeUTF(reason);
        }
    }

    /**
     * Reads a table.
     *
     * @throws IllegalArgumentException when a rule has no meaning
     */
    public static RuleTable read(final DataInput in) throws IOException {
        final String source = in.readUTF();
        final boolean isDefault = in.readBoolean();
        final List<SelectionRule> rules = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            rules.add(SelectionRule.read(in));
        }
        final List<String> learnt = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            learnt.add(in.readUTF());
        }
        return new RuleTable(source, rules, isDefault, learnt);
    }

    /** Returns the name of a rule by its index from 0, for example {@code rule 3 of rules.json}; of a learnt rule why it is there. */
    public String name(final int index) {
        return isLearnt(index) ? learnt.get(index) : "rule " + (index - learnt.size() + 1) + " of " + source;
    }

    /** Returns a sentence for each rule that never decides. */
    public List<String> warnings() {
        final List<String> warnings = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
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
