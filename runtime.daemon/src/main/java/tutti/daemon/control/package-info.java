/**
 * Control of a node inside its container: membership in the cluster, coordination of jobs, and the parts of jobs that run on the node.
 *
 * <pre>{@code
 * links of commands and nodes -> LinkAdmission -> NodeService -> ServedChannels (ClientSession, one per command; JobPartServer; ...)
 * ClientSession -> CommandRequests: answers what a command asks
 * NodeService -> Cluster (members, by tutti.daemon.membership)
 *             -> ClusterJobs, ClusterModules, ClusterCheckpoints, ClusterMeasurements: those here, and questions to other nodes (*Questions)
 * ClientSession -> ClusterJobs -> JobCoordinator -> JobAgreementResolver, JobPartProxy (one per node, or JVM), OutputRelay -> client
 * OutputRelay -> MeasurementStore (traces, reports) <- ClusterMeasurements, which asks other nodes for theirs
 * JobPartProxy = LocalPartProxy -> JobPart | RemotePartProxy -> link -> JobPartServer -> JobPart
 * JobPart -> JobHost.prepare, LocalJob.connect, start, cancel; reports to a JobPartListener
 *         -> JobTransports -> TransportRegistry (transports in the container), JobTransport (that of the part)
 * on a node that serves more than one run, and where ranks have JVMs of their own, JvmPart takes the place of JobPart:
 * JvmPart -> JvmPool -> JobJvm -> link -> JvmNode, in that JVM -> JobPartServer -> JobPart
 * }</pre>
 */
@NullMarked
package tutti.daemon.control;

import org.jspecify.annotations.NullMarked;
