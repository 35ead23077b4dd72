/**
 * Control of a node inside its container: membership in the cluster, coordination of jobs, and the parts of jobs that run on the node.
 *
 * <pre>{@code
 * NodeService -> Cluster (members, by tutti.daemon.membership), ClientSession (one per command)
 * ClientSession -> JobCoordinator -> JobAgreementResolver, JobPartProxy (one per node), OutputRelay -> client
 * JobPartProxy = LocalPartProxy -> JobPart | RemotePartProxy -> link -> JobPartServer -> JobPart
 * JobPart -> JobHost.prepare, LocalJob.connect, start, cancel; reports to a JobPartListener
 *         -> JobTransports -> TransportRegistry (transports in the container), JobTransport (that of the part)
 * }</pre>
 */
package tutti.daemon.control;
