/**
 * Files of rule tables.
 *
 * <pre>{@code
 * rules.json -> RulesFile.read -> runtime.select.RuleTable of SelectionRules, or InvalidRulesException
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.rules;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
