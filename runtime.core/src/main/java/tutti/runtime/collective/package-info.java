/**
 * The collective operations of a communicator, and the engine that serves them.
 *
 * <pre>{@code
 * Collectives, NeighborCollectives: check arguments -> Call -> CollectiveEngine
 * CollectiveEngine -> CollTable (selected modules, hidden communicators) -> SelectionExchange
 *                  -> ScheduleCache -> ScheduleExecution; CollectiveRequest, PersistentCollective
 *                  -> OnlineTuning, TunedClass -> TunedAlgorithm: which algorithm serves a call where calls are tuned
 *                  -> DeferredCommFree -> ContextIds
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.collective;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
