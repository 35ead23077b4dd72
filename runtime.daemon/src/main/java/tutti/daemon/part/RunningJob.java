package tutti.daemon.part;

import java.util.concurrent.CompletionStage;
import tutti.daemon.launch.JobEnd;

/** A job that this node coordinates, for its client. Safe for any thread. */
public interface RunningJob {

    /** Returns the id of the job. */
    String id();

    /** Ends the job with a status and a text for the user. */
    void end(int status, String text);

    /** Ends the job because its client is gone. */
    void clientLost();

    /** Returns a stage that completes, never exceptionally, when the job has ended and its client has read all output. */
    CompletionStage<JobEnd> ended();
}
