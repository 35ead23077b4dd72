package tutti.daemon.part;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Checkpoints of a part in a job JVM, which its node keeps, on the link of the part. States pass through files. */
interface CheckpointFiles {

    /** Returns the file with the state of a rank from which the job continues. */
    CompletionStage<String> restored(int rank);

    /** Returns the ranks whose states the node holds of a checkpoint. */
    CompletionStage<List<Integer>> held(int checkpoint, long point);

    /** Returns the file with the state of a rank at a checkpoint, which this node or another one holds. */
    CompletionStage<String> stored(int checkpoint, long point, int rank, int ranks);

    /** Writes the state of a rank into a checkpoint, from a file. */
    CompletionStage<Void> write(int checkpoint, String file);

    /** Completes a checkpoint. */
    CompletionStage<Void> complete(int checkpoint);

    /** Removes a checkpoint that is not complete. */
    CompletionStage<Void> discard(int checkpoint);

    /** Removes older checkpoints. */
    CompletionStage<Void> removeOlder(int checkpoint);
}
