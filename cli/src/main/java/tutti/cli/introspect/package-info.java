/**
 * Formats of plans and traces: text, Graphviz, pictures and the JSON of Chrome's trace viewer.
 *
 * <pre>{@code
 * RankPlan -> PlanText | PlanGraph -> PlanDot, PlanPicture (PlanLane, PlanColumns, PlanCell) -> report.Drawing
 * RankTrace -> TraceCodec -> PartOutput -> link -> TraceCodec -> ChromeTrace, TracePicture -> MessagePairs, ClockAlignment, TraceLanes
 * }</pre>
 */
@NullMarked
package tutti.cli.introspect;

import org.jspecify.annotations.NullMarked;
