/**
 * The part of the service provider interface of collective modules that a first algorithm does not need. Package {@code tutti.coll} knows nothing of
 * it: a module asks for it.
 *
 * <pre>{@code
 *   Plan     -- AdvancedPlan.of --> shared, post, await, get; nested; tasks of the module: copy and reduce by a Worker, opaque, offloaded
 *   CollComm -- SetupComm.of    --> send, recv, barrier, allreduce, split, algorithm, local: during query and init
 *   CollModule that is a ThreadSupport, CollInstance that is Checkpointable; CollException: an error with a class and a code
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.coll.advanced;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
