/**
 * The lifecycle of a rank: running until it is ended, and its helper threads.
 *
 * <pre>{@code
 * every call into MPI -> RankLifecycle.check
 * RankLifecycle -> RankHelperThreads -> ProgressThreads (poll generalized requests), thread of CompletionActions
 * }</pre>
 */
@NullMarked
package tutti.runtime.lifecycle;

import org.jspecify.annotations.NullMarked;
