package tutti.daemon.job;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.protocol.Reply;

/** Questions of a node to another one about checkpoints: of the jobs that it coordinates, and those that it keeps. */
public interface CheckpointQuestions {

    /** Saves the state of a job at the next point of its program, and returns what became of it; null when the node does not coordinate the job. */
    CompletionStage<@Nullable Reply> take(String job);

    /** Returns the checkpoints that the node keeps. */
    CompletionStage<List<HeldCheckpoint>> held();

    /** Removes the checkpoints of a series from the node; returns why they are kept, empty when they are removed. */
    CompletionStage<String> removeSeries(String series);
}
