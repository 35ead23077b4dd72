/**
 * The part of a job on one node: one interface for the coordinator here, for one at the other end of a link, and for a job JVM.
 *
 * <pre>{@code
 * coordinator -> JobPart = LocalPart (ranks in this JVM) | JvmPart (in a job JVM) | a link
 * link of a coordinator -> JobNode.prepare, JobPart -> JobNodeServer -> ServedPart -> LocalPart | JvmPart
 * JvmPart -> JvmPool -> JobJvm -> link -> PartJvm.prepare, JobPart -> JvmNode, in that JVM -> ServedPart -> LocalPart
 * LocalPart -> JobHost.prepare, LocalJob.connect, start, cancel;  JobTransports -> TransportRegistry
 * part -> PartListener, PartOutput (output, ends of ranks, in their order) -> coordinator
 * ranks -> RankServices = PartServices (node) | a link to those (job JVM);  SpawnedJobs -> JobSpawner
 * ranks -> CheckpointStorage = JobCheckpoints (node) | JvmCheckpoints -> CheckpointFiles -> ServedCheckpoints -> JobCheckpoints (job JVM)
 * }</pre>
 */
@NullMarked
package tutti.daemon.part;

import org.jspecify.annotations.NullMarked;
