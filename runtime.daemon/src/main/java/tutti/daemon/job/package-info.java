/**
 * Jobs from the node that coordinates them: placement, agreement, start, watch and finish; what is kept of them; and questions about them.
 *
 * <pre>{@code
 * request -> ClusterJobs -> JobCoordinator -> JobStart -> Placement, JobAgreementResolver
 *                                          -> JobParts (queue of JobEvents, one CoordinatedPart per node or JVM), StallWatch, CheckpointOrders
 *                                          -> JobFinish -> JobEnd
 * CoordinatedPart -> OutputRelay -> client;  MeasurementStore (traces, reports), JobHistory
 * ClusterJobs, ClusterCheckpoints, ClusterMeasurements: those here, and questions to other nodes (*Questions)
 * rank that spawns -> ClusterJobs.spawn -> SpawnPlanner -> JobPlan;  QueryJob: a job whose output the node wants
 * }</pre>
 */
@NullMarked
package tutti.daemon.job;

import org.jspecify.annotations.NullMarked;
