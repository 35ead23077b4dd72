/**
 * The lifecycle of a rank: running until it is ended, its helper threads, and the cores that its threads may keep busy.
 *
 * <pre>{@code
 * every call into MPI -> RankLifecycle.check
 * RankLifecycle -> RankHelperThreads -> ProgressThreads (poll generalized requests), thread of CompletionActions
 * Waiter -> CoreOccupancy.maySpin
 * host.HostedJob -> CoreBinding (processors of each rank)
 * }</pre>
 */
@NullMarked
package tutti.runtime.lifecycle;

import org.jspecify.annotations.NullMarked;
