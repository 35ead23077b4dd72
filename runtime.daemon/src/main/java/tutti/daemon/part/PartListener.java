package tutti.daemon.part;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.daemon.launch.OutputPiece;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.RankServices;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.module.ModuleId;

/**
 * Listener of the part of a job: the job's coordinator, on this node or at the other end of a link, and between these the node for its job JVM. Safe
 * for any thread. Methods that return nothing do not block.
 */
public interface PartListener {

    /**
     * Reads what the part puts out; completes when all is read. Blocks until then.
     *
     * @param pieces {@link OutputPiece}s of all kinds; the ranks wait while they are not read
     */
    CompletionStage<Void> output(InputStream pieces);

    /** Returns a piece of standard input, which rank 0 wants to read; empty at its end. */
    CompletionStage<byte[]> input();

    /** Returns spare ranks of the job for the places of ranks that have failed, as {@link RankServices#replace} does. */
    CompletionStage<List<Integer>> replace(ReplacementRequest request);

    /** Notes that a rank of the part is in Finalize, as {@link RankServices#inFinalize} does. */
    CompletionStage<Void> inFinalize(int rank);

    /** Notifies that the part, which was connected, has failed. The coordinator counts it as ended. */
    void failed(int status, String text);

    /** Notifies that the JVM of the part, which was connected, has ended before its ranks. The coordinator counts the part as ended. */
    void jvmLost(String reason);

    /** Notifies that a link to another node of the job was lost while ranks ran. */
    void nodeLost(int node, String reason);

    /** Notifies what became of a checkpoint. */
    void checkpointed(CheckpointReport report);

    /** Notifies that the part has spawned a job; its output and its end are in that of the part. */
    void spawned();

    /** Notifies that the part, which has changed its modules, uses no others than these any more. */
    void released(List<ModuleId> kept);

    /** Notifies that a trial of a module begins on a communicator, or of what it has found there. */
    void tried(CanaryReport report);

    /** Notifies of what tuning on live calls has found out. */
    void tuned(List<CallTuning> found);
}
