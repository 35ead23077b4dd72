package tutti.daemon.checkpoints;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/**
 * Node that keeps copies of the checkpoints of one series for another node, or holds a checkpoint that the other one needs. {@link CheckpointServer}
 * serves it on a link; the calls for copies need {@link #use} before.
 */
@Needs(Role.NODE)
interface CopyKeeper {

    /** Announces the job that uses the series. A link serves one series. */
    CompletionStage<Void> use(String series, String job);

    /**
     * Begins a copy of the files of a rank.
     *
     * @param number number of the checkpoint
     * @param state  the state file
     * @return indexes of the files of blocks that {@link #blocks} brings; the node has the bytes of the others
     */
    CompletionStage<List<Integer>> keep(int number, int rank, InputStream state);

    /** Ends the copy of a rank: brings the files that the node needs, one after the other. They are on its disk when the call ends. */
    CompletionStage<Void> blocks(int number, int rank, InputStream files);

    /** Completes a checkpoint. */
    CompletionStage<Void> complete(int number);

    /** Removes ranks of a checkpoint that is not complete. */
    CompletionStage<Void> discard(int number, List<Integer> ranks);

    /** Removes checkpoints that are older than one. */
    CompletionStage<Void> removeOlder(int number);

    /**
     * Returns a file of a rank.
     *
     * @param job   the job that has written the checkpoint
     * @param point the point at which the states were saved
     * @param file  name of the file
     */
    CompletionStage<InputStream> fetch(String series, String job, int number, long point, int rank, String file);
}
