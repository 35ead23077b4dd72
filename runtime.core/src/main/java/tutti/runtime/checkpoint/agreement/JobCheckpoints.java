package tutti.runtime.checkpoint.agreement;

import java.util.function.Consumer;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;

/**
 * The checkpoints of a job, for its ranks on one node.
 *
 * @param points  the points at which the daemon asks for a checkpoint
 * @param storage where states are kept
 * @param report  receives what became of each checkpoint, on the node of rank 0
 */
public record JobCheckpoints(PointAgreement points, CheckpointStorage storage, Consumer<CheckpointReport> report) {
}
