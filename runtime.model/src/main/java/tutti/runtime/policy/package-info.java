/**
 * Preferences, rules and options of a job, as values that users set.
 *
 * <pre>{@code
 * job parameters -> UserPreferences, CheckLevel, TraceOption
 * rules file     -> RuleTable -> SelectionRule -> RuleCondition, ConditionValues (LongRange, WordSet), AlgorithmRef
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.policy;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
