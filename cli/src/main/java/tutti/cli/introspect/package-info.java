/**
 * Formats of plans and traces: text, Graphviz, SVG and the JSON of Chrome's trace viewer.
 *
 * <pre>{@code
 * RankPlan -> PlanText | PlanGraph -> PlanDot, PlanSvg
 * RankTrace -> TraceCodec -> ChunkedOutput -> link -> TraceCodec -> ChromeTrace -> ClockAlignment, TraceLanes
 * }</pre>
 */
package tutti.cli.introspect;
