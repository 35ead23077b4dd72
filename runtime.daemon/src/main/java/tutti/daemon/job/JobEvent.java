package tutti.daemon.job;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.part.PreparedPart;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.process.owner.RankOutcome;

/** Event in the queue of a job's coordinator. Parts are named by the indexes of their nodes in the job. */
sealed interface JobEvent {

    /** The files of the program are here. */
    record Received(List<Path> files) implements JobEvent {}

    /** The files of the program cannot be received. */
    record NotReceived(IOException reason) implements JobEvent {}

    /** A part is prepared. */
    record Prepared(int node, PreparedPart part) implements JobEvent {}

    /** A part is connected to the others. */
    record Connected(int node) implements JobEvent {}

    /** A part has failed; it counts as ended. */
    record PartFailed(int node, int status, String text) implements JobEvent {}

    /** The JVM of a part has ended before its ranks; the part counts as ended. */
    record JvmLost(int node, String text) implements JobEvent {}

    /** A part has ended, and its ranks before. */
    record PartEnded(int node) implements JobEvent {}

    /** Loss of a part: of the link to it, or of the node. */
    record PartLost(int node, String reason, boolean byLink) implements JobEvent {}

    /** A rank has ended, and its output was passed on. */
    record RankEnded(int node, int rank, RankOutcome end) implements JobEvent {}

    /** A node has lost its link to another node of the job. */
    record NodeLost(int node, int lost, String reason) implements JobEvent {}

    /** Ranks that live want spare ranks in the places of failed ones. */
    record ReplacementWanted(int node, ReplacementRequest request, CompletableFuture<List<Integer>> answer) implements JobEvent {}

    /** A rank of a job that goes on without failed ones is in Finalize, and waits for the others. */
    record InFinalize(int rank, CompletableFuture<Void> answer) implements JobEvent {}

    /** A part has spawned a job. */
    record Spawned(int node) implements JobEvent {}

    /** A job that a part has spawned has ended. */
    record SpawnEnded(int node) implements JobEvent {}

    /** Somebody wants the job to end. */
    record EndRequested(int status, String text) implements JobEvent {}
}
