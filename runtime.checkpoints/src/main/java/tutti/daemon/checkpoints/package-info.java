/**
 * Checkpoints of jobs on the disks of nodes: each rank's state on its own node, with a copy on another one.
 *
 * <pre>{@code
 * runtime: CheckpointStorage = JobCheckpoints (the checkpoints of a part of a job)
 * JobCheckpoints -> RankWriter -> CheckpointFolder (files of this node)
 *                -> CheckpointClient -> CopyKeeper, over a link -> CheckpointServer -> RankWriter (a copy on the partner node)
 * RestartPlan (which checkpoint, from which nodes) -> NodeCheckpoints.open: own files, or those that CheckpointClient fetches from a holder
 * SeriesUse -> CopyOwner, over the link of copies (whether the job of another node lives)
 * RankState: the state file;  BlockSums: sums of bytes;  StoredFiles: reads and verifies the files of a rank
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.checkpoints;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
