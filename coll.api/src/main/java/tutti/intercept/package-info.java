/**
 * Interception of the calls of package {@code mpi}.
 *
 * <pre>{@code
 *   job: -p intercept=NAME --- CallInterceptor.begin(InterceptedRank) ---> RankInterceptor
 *   program: comm.send(...) --- before(InterceptedCall) ---> the call --- after(InterceptedCall) --->
 *   MPI.Finalize --- end() of each rank ---> report(parts) on rank 0 --- InterceptedRank.keepReport ---> the node, for its live page
 *   the rank has ended --- dispose()
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.intercept;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
