/**
 * Ranks and communicators, as the bindings in package mpi use them: their creation, comparison and release.
 *
 * <pre>{@code
 * Rank -> Communicator -> PointToPoint (messages), CollectiveEngine (collectives)
 *      Communicator -> CommunicatorFactory, IntercommCreator, DupRequest -> CommContext
 *                   -> GroupMeeting (ranks of other jobs)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.comm;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
