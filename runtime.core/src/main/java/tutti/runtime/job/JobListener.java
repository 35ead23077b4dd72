package tutti.runtime.job;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.introspect.RankTrace;

/** Hears of the local part of a job. Methods are called on any thread, several at once for several ranks. */
@ConsumerType
public interface JobListener {

    /**
     * A rank printed. Whole lines with their ends, but for a last line without one. May block, which holds the printing rank back.
     *
     * @param rank  in COMM_WORLD
     * @param error whether on standard error
     * @param bytes the lines in UTF-8; the caller gives the array away
     */
    void output(int rank, boolean error, byte[] bytes);

    /** Rank 0 reads its standard input and there is none: {@link LocalJob#input} brings it. Must not block. */
    void inputWanted();

    /** What the collectives of a rank did, where the job asks for that; before {@link #rankEnded}. May block. */
    default void traced(final RankTrace trace) {
        // nobody wants to know
    }

    /** A rank ended; its output is complete. Called once per local rank, before {@link LocalJob#ended} completes. */
    void rankEnded(int rank, RankOutcome end);

    /**
     * A link to another node of the job was lost while ranks ran. The local ranks are not ended by that: whoever runs the job decides.
     *
     * @param node   index of the lost node
     * @param reason in words
     */
    void nodeLost(int node, String reason);
}
