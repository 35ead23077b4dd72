/**
 * Test kit for authors of collective modules: a model checker for plans, a cost simulator, and mutation testing.
 *
 * <pre>{@code
 * ModuleVerifier -> VirtualModule (a module set up on virtual ranks) -> PlanChecker -> CounterExample, VerificationReport
 * PlanChecker    -> RecordingPlan (the plan of each rank) -> symbolic execution of all plans, compared with MPI's contract
 * PlanMutations  -> a Mutation of one task at a time -> PlanChecker -> killed or survived
 * CostSimulator  -> RecordingPlan -> time in alpha, beta and gamma, messages, bytes, memory, tasks
 * CallCases, NodeLayout, CommGroups: calls, placements and groups to check;   ModuleDeclaration: metadata of the bundle
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.coll.tck;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
