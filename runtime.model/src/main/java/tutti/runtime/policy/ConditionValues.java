package tutti.runtime.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that meet a {@link RuleCondition}, or the values that a communicator or a call has. The text form is that of {@link #texts}, joined by
 * {@value #SEPARATOR}.
 */
public sealed interface ConditionValues permits LongRange, WordSet {
    /** The text between alternatives. */
    String SEPARATOR = " or ";

    /** Returns whether all the other values are among these; false for null, which stands for unknown values. */
    boolean covers(@Nullable ConditionValues other);

    /** Returns the texts that a rule file has for these values, at least one. */
    List<String> texts();
}
