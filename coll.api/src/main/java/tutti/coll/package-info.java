/**
 * The service provider interface (SPI) of collective modules: bundles that implement MPI's collective operations. An algorithm does not
 * communicate. It describes a collective as data, a {@link tutti.coll.Plan}, which the runtime executes. Package {@code tutti.coll.advanced} has
 * what a first algorithm does not need: shared memory, sub-communicators, workers, checkpoints, thread levels, error codes.
 *
 * <pre>{@code
 *   runtime -- query(CollComm) --> CollModule    --> QueryResult.Usable(priority, CollInstance)
 *   runtime -- init()          --> CollInstance  --> AlgorithmTable: Operation -> Entry(name, Algorithm, ReductionOrder)
 *   runtime -- plan(Call, Plan) -> Algorithm     --> Plan: send, recv, copy, reduce, fence
 *   Plan tasks name memory by BufferRange: Buffer.SEND, RECV or SCRATCH, offset and length in bytes
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.coll;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
