/**
 * The part of a job on one node: one interface for the coordinator here, for one at the other end of a link, and for a job JVM.
 *
 * <pre>{@code
 * coordinator -> JobPart = PreparablePart | a link;  PreparablePart = LocalPart (ranks in this JVM) | JvmPart (in a job JVM)
 * link of a coordinator -> JobNode.prepare, JobPart -> JobNodeServer -> PreparablePart
 * JvmPart -> JvmPool -> JobJvm -> link -> PartJvm.prepare, JobPart -> JvmNode, of JvmProgram in that JVM -> LocalPart
 * LocalPart -> JobHost.prepare, LocalJob.connect, start, cancel;  JobTransports -> TransportRegistry
 * part -> PartListener, PartOutput (output, ends of ranks, in their order) -> JvmRelay, for a job JVM -> coordinator
 * ranks -> RankServices = PartServices (node) | a link to those (job JVM);  SpawnedJobs -> JobSpawner
 * ranks -> CheckpointStorage = JobCheckpoints (node) | JvmCheckpoints -> CheckpointFiles -> ServedCheckpoints -> JobCheckpoints (job JVM)
 * }</pre>
 */
@NullMarked
package tutti.daemon.part;

import org.jspecify.annotations.NullMarked;
