package tutti.runtime.job;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.checkpoint.store.CheckpointReport;

/**
 * The daemon's services for the ranks of a job on this node that other jobs and the user of the job notice. They may be called over a link. Safe for
 * any thread; methods do not block, and a stage that completes exceptionally has a message for the user.
 */
@ConsumerType
public interface RankServices {

    /** Publishes the name of a port in the cluster, until this part of the job ends. Fails when the name is published already. */
    CompletionStage<Void> publish(String name, String port);

    /** Returns the port that is published under a name; the result is empty when there is none. */
    CompletionStage<String> lookup(String name);

    /** Removes a name that this part of the job published; the result is false when it did not. */
    CompletionStage<Boolean> unpublish(String name);

    /**
     * Starts a job beside this one. The stage completes when that job has ended, with the reason if it failed and an empty text otherwise; it fails
     * when the job cannot be started.
     */
    CompletionStage<String> spawn(SpawnRequest request);

    /** Ends the job of a request, which need not have started. {@code parent} is the name of the port in the request. */
    void cancelSpawn(String parent);

    /**
     * Returns spare ranks for the places of ranks that have failed, by their numbers and in the order of these places in the request. They start, and
     * create the communicator together with the ranks that request it. Fails when there are not as many.
     */
    CompletionStage<List<Integer>> replace(ReplacementRequest request);

    /** Notes that a rank of a job that goes on without failed ones is in Finalize; the stage completes when all ranks that live are. */
    CompletionStage<Void> inFinalize(int rank);

    /** Receives what became of a checkpoint; called on the node of rank 0. */
    void checkpointed(CheckpointReport report);
}
