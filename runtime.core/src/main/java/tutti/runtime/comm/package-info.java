/**
 * Ranks and communicators, as the bindings in package mpi use them: point-to-point messages, collectives, creation and release of communicators.
 *
 * <pre>{@code
 * Rank -> Communicator -> PointToPoint -> SendRequest, ReceiveRequest -> Mailbox
 *                      -> Collectives  -> CollectiveEngine -> CollTable (selected modules), ScheduleCache -> ScheduleExecution
 *                      -> CommunicatorFactory, IntercommCreator -> BootstrapCollective, ContextIds, SelectionExchange
 *                      -> DeferredCommFree -> ContextIds
 * }</pre>
 */
@Export
@Version("0.1.0")
package tutti.runtime.comm;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
