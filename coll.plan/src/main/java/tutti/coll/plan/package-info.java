/**
 * The recorder of plans: checks what an algorithm plans, and resolves collectives that are nested in it. The runtime and the prover of modules record
 * with it, so what is proved is what runs.
 *
 * <pre>{@code
 *   Algorithm -- plan(Call, Plan) --> PlanRecorder -- checked tasks --> TaskSink (a schedule of the runtime, or a list that is proved)
 *   PlanRecorder -- nested --> PlanComm (the sub-communicator) -- plan --> Algorithm --> PlanRecorder of that part
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.coll.plan;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
