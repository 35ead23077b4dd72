package tutti.daemon.job;

import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.daemon.listing.HeldCheckpoint;

/** Questions of a node to another one about the checkpoints that it keeps. */
public interface CheckpointQuestions {

    /** Returns the checkpoints that the node keeps. */
    CompletionStage<List<HeldCheckpoint>> held();

    /** Removes the checkpoints of a series from the node; returns why they are kept, empty when they are removed. */
    CompletionStage<String> removeSeries(String series);
}
