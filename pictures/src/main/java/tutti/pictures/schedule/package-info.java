/**
 * Formats of plans and traces: text, Graphviz, pictures and the JSON of Chrome's trace viewer.
 *
 * <pre>{@code
 * RankPlan -> PlanText | PlanGraph -> PlanDot, PlanPicture (PlanLane, PlanColumns, PlanCell) -> Drawing
 * RankTrace -> TraceCodec -> PartOutput -> link -> TraceCodec -> ChromeTrace, TracePicture -> MessagePairs, ClockAlignment, TraceLanes
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.pictures.schedule;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
