/**
 * Introspection values: explanations of the selection, plans of collectives, traces of executions, statistics of caches and messages.
 *
 * <pre>{@code
 * Selection     -> Explanation
 * CollectiveEngine -> CallTuning -> TuningRules
 * CollectiveEngine -> RankPlan  -> PlannedTask, PlannedPart -> PartSummary
 * TraceRecorder -> RankTrace -> TracedCall -> PlannedPart; TraceEvent
 * ScheduleCache -> CacheStatistics
 * Mailbox, PeerNode -> MessageStatistics
 * Canary        -> CanaryReport
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.introspect;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
