package tutti.daemon.part;

import java.util.concurrent.CompletionStage;
import tutti.runtime.job.SpawnRequest;

/** Services of a node for the ranks of a part in a job JVM, on the link of the part. */
interface RankServices {

    /** Publishes a port under a name. */
    CompletionStage<Void> publish(String name, String port);

    /** Returns the port that is published under a name; empty when there is none. */
    CompletionStage<String> lookup(String name);

    /** Removes a name; returns whether the part had published it. */
    CompletionStage<Boolean> unpublish(String name);

    /**
     * Starts a job; the result, when it has ended, is the reason if it failed.
     *
     * @param number number of the request, for {@link #cancelSpawn}
     */
    CompletionStage<String> spawn(long number, SpawnRequest request);

    /** Ends the job that a request has started. */
    void cancelSpawn(long number);

    /** Returns the file with the state of a rank from which the job continues. */
    CompletionStage<String> restored(int rank);

    /** Writes the state of a rank into a checkpoint, from a file. */
    CompletionStage<Void> write(int checkpoint, String file);

    /** Completes a checkpoint. */
    CompletionStage<Void> complete(int checkpoint);

    /** Removes a checkpoint that is not complete. */
    CompletionStage<Void> discard(int checkpoint);

    /** Removes older checkpoints. */
    CompletionStage<Void> removeOlder(int checkpoint);
}
