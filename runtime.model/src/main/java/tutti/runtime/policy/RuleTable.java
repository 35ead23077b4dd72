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
 * @param rules  the rules in order; the first has number 1
 * @param isDefault whether a module that no rule names precedes the rules that name modules of lower priority. This is true for the default
 *               table of a node, which cannot name modules that were installed after it was made
 */
public record RuleTable(String source, List<SelectionRule> rules, boolean isDefault) {
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

    /** Copies the list. */
    public RuleTable {
        rules = List.copyOf(rules);
    }

    /** Returns whether another table decides alike, whatever its name is. */
    public boolean isAs(final RuleTable other) {
        return isDefault == other.isDefault && rules.equals(other.rules);
    }

    /** Returns the name of the table, and a hash of what it decides. */
    @Override
    public String toString() {
        return source + " #" + Integer.toHexString((rules + "," + isDefault).hashCode());
    }

    /** Returns the same rules as a default table. */
    public RuleTable asDefault() {
        return new RuleTable(source, rules, true);
    }

    /** Writes the table. */
    public void write(final DataOutput out) throws IOException {
        out.writeUTF(source);
        out.writeBoolean(isDefault);
        out.writeInt(rules.size());
        for (final SelectionRule rule : rules) {
            rule.write(out);
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
        return new RuleTable(source, rules, isDefault);
    }

    /** Returns the name of a rule by its index from 0, for example {@code rule 3 of rules.json}. */
    public String name(final int index) {
        return "rule " + (index + 1) + " of " + source;
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
