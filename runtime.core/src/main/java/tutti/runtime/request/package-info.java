/**
 * Requests, and how a thread waits for their completion.
 *
 * <pre>{@code
 * Communicator -> Request <- Waiter (spins, yields, parks)     Request: pending, then complete; notifies Waiter and CompletionAction
 *                 PersistentRequest                            can be started repeatedly
 *                 GeneralizedRequest -> GrequestFunctions      pushed by ProgressThreads and by calls that wait
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.request;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
