package tutti.runtime.job;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/**
 * The daemon's services for the ranks of a job on this node that communicate with other jobs. Safe for any thread; methods do not block, and a stage
 * that completes exceptionally has a message for the user.
 */
@ConsumerType
public interface JobServices {

    /** Returns the transport of links to nodes of other jobs, and of ports. */
    Transport transport();

    /** Returns the job's nodes, in the order of the specification, with the addresses of listeners that stay open on that transport. */
    List<NodeAddress> nodes();

    /** Returns the number of cores of all nodes that are in the cluster at this time. */
    int places();

    /** Publishes the name of a port in the cluster, until this part of the job ends. Fails when the name is published already. */
    CompletionStage<Void> publish(String name, String port);

    /** Returns the port that is published under a name; the result is empty when there is none. */
    CompletionStage<String> lookup(String name);

    /**
     * Starts a job beside this one. The stage completes when that job has ended, with the reason if it failed and an empty text otherwise; it fails
     * when the job cannot be started.
     */
    CompletionStage<String> spawn(SpawnRequest request);

    /** Returns what proves plans of the job's modules. */
    default PlanProver prover() {
        return PlanProver.NONE;
    }

    /** Returns where the checkpoints of the job's ranks on this node are kept. */
    default CheckpointStorage checkpoints() {
        return CheckpointStorage.NONE;
    }

    /** Receives what became of a checkpoint; called on the node of rank 0. */
    default void checkpointed(final CheckpointReport report) {
        // a job without a daemon has nobody to tell
    }

    /** Removes a name that this part of the job published; the result is false when it did not. */
    CompletionStage<Boolean> unpublish(String name);
}
