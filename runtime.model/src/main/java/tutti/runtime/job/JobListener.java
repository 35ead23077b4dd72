package tutti.runtime.job;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;

/** Receives events of the local part of a job. Methods are called on any thread, and concurrently for several ranks. */
@ConsumerType
public interface JobListener {

    /**
     * Receives output of a rank: whole lines with their line ends, except for a last line without one. May block, which blocks the printing
     * rank.
     *
     * @param rank  rank in COMM_WORLD
     * @param error whether the output is of standard error
     * @param bytes the lines in UTF-8; the listener owns the array
     */
    void output(int rank, boolean error, byte[] bytes);

    /** Notifies that rank 0 reads its standard input and none is buffered: {@link LocalJob#input} provides it. Must not block. */
    void inputWanted();

    /** Receives the trace of a rank's collectives, when the job asks for traces; called before {@link #rankEnded}. May block. */
    default void traced(final RankTrace trace) {
        // traces are optional
    }

    /** Receives a report that an interceptor has made of the job, on rank 0; called before {@link #rankEnded}. May block. */
    default void reported(final InterceptorReport report) {
        // reports are optional
    }

    /** Notifies that a rank ended; its output is complete. Called once per local rank, before {@link LocalJob#ended} completes. */
    void rankEnded(int rank, RankOutcome end);

    /**
     * Notifies that a link to another node of the job was lost while ranks ran. The local ranks continue: the job's coordinator decides what to
     * do.
     *
     * @param node   index of the lost node
     * @param reason reason in words
     */
    void nodeLost(int node, String reason);

    /**
     * Notifies that the local ranks, whose job has changed its modules, use no others than these any more. Must not block.
     *
     * @param kept all modules that the part still uses
     */
    default void released(final List<ModuleId> kept) {
        // only those who keep modules installed for the job need it
    }

    /** Notifies of what a trial of a module has found on a communicator whose first rank is local. Must not block. */
    default void tried(final CanaryReport report) {
        // only those who begin trials need it
    }

    /**
     * Notifies of what tuning on live calls has found out, each class of calls once. Called when local rank 0 of the job is in Finalize, if anything
     * was found. Must not block.
     */
    default void tuned(final List<CallTuning> found) {
        // only those who keep it for other jobs need it
    }
}
