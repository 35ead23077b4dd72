/**
 * Files of rule tables.
 *
 * <pre>{@code
 * rules.json -> RulesFile.read -> runtime.select.RuleTable of SelectionRules, or InvalidRulesException
 * }</pre>
 */
package tutti.daemon.rules;
