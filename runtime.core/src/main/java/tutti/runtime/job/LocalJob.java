package tutti.runtime.job;

import java.util.concurrent.CompletionStage;
import org.osgi.annotation.versioning.ProviderType;
import tutti.runtime.select.AgreedModules;
import tutti.runtime.select.Catalogue;

/** The part of a job that runs on this node. Safe for any thread. */
@ProviderType
public interface LocalJob {

    /** What it runs. */
    JobSpec spec();

    /** The modules that this node offers the job, and keeps installed for it until {@link #connect} tells which of them it uses. */
    Catalogue catalogue();

    /**
     * Takes what the job's nodes agreed on, and makes the links to the others. The stage completes when all links stand, or exceptionally
     * with a message that names the node that could not be reached, or the module that cannot be had any more.
     */
    CompletionStage<Void> connect(AgreedModules agreement);

    /** Starts the local ranks; after {@link #connect} is complete on every node. */
    void start();

    /**
     * Gives rank 0, which is local, the standard input that it asked for.
     *
     * @param bytes what comes next, given away by the caller; none at all is the end
     */
    void input(byte[] bytes);

    /**
     * Ends the local ranks, whatever they do, and lets go of all that the job holds. Ranks blocked in MPI or in an interruptible call end
     * at once, ranks that compute are stopped. Idempotent; returns at once.
     *
     * @param reason for the ranks' own messages
     */
    void cancel(String reason);

    /** Completes, never exceptionally, when no rank of the job runs here any more and its links, threads and class loaders are let go. */
    CompletionStage<Void> ended();
}
