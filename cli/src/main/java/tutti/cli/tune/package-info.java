/**
 * Measurements of algorithms, and the rule table and plot that are built from them. Independent of clusters.
 *
 * <pre>{@code
 * TunableParameters + Measurements -> VariantPlanner (algorithms with other parameters, to measure next)
 * TuneSetting + algorithm -> Measurement -> MeasurementsFile (FILE.points)
 * Measurements -> RuleTableBuilder -> SelectionRule -> RuleTableWriter (FILE)
 * Measurements -> MeasuredPoint (noise or not) -> Plot (FILE.svg)
 * }</pre>
 */
@NullMarked
package tutti.cli.tune;

import org.jspecify.annotations.NullMarked;
