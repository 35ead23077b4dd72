package tutti.runtime.checkpoint.store;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The checkpoints of one series, as the part of a job on one node uses them. A series is what a job, and the jobs that continue it, have saved;
 * its checkpoints have numbers, from 1.
 *
 * <p>A checkpoint is made in two phases. First every rank of the job {@linkplain #write writes} its state. When all ranks of all nodes have written,
 * one rank of every node {@linkplain #complete completes} the checkpoint: so a checkpoint that is complete on any node has been written on all.
 * When it is complete on all nodes, one rank of every node {@linkplain #removeOlder removes} the older ones. A crash at any time leaves one
 * checkpoint that is complete on a node and written on all.
 *
 * <p>Methods block, and may be called by several ranks at the same time. Errors name the node and the file.
 */
@ConsumerType
public interface CheckpointStorage {
    /** Keeps nothing, and refuses to. */
    CheckpointStorage NONE = new CheckpointStorage() {
        @Override
        public int restored() {
            return 0;
        }

        @Override
        public @Nullable StoredRank restored(final int rank) {
            return null;
        }

        @Override
        public List<Integer> held(final int number, final long point) {
            return List.of();
        }

        @Override
        public StoredRank stored(final int number, final long point, final int rank, final int ranks) throws IOException {
            throw new IOException("this job has no place where checkpoints are kept");
        }

        @Override
        public void write(final int number, final SavedRank state) throws IOException {
            throw new IOException("this job has no place where checkpoints are kept");
        }

        @Override
        public void complete(final int number) {
            // nothing was written
        }

        @Override
        public void discard(final int number) {
            // nothing was written
        }

        @Override
        public void removeOlder(final int number) {
            // nothing was written
        }
    };

    /** Returns the number of the checkpoint from which the job continues; 0 when it continues from none. */
    int restored();

    /**
     * Returns the state from which a rank of this node continues; null when the job continues from no checkpoint.
     *
     * @throws IOException when the state cannot be read
     */
    @Nullable
    StoredRank restored(int rank) throws IOException;

    /**
     * Returns the ranks whose states this node holds of a checkpoint, own ones and copies.
     *
     * @param number number of the checkpoint
     * @param point  number of the point at which it was made
     * @throws IOException when its disk cannot be read
     */
    List<Integer> held(int number, long point) throws IOException;

    /**
     * Returns the state of a rank at a checkpoint that this node or another one holds, for a rank that goes back to it in the same job.
     *
     * @param ranks number of ranks of the checkpoint
     * @throws IOException when no node has it undamaged
     */
    StoredRank stored(int number, long point, int rank, int ranks) throws IOException;

    /**
     * Writes the state of a rank of this node as part of a checkpoint that is not complete. Returns when the state is on the disk of this node and a
     * copy is on the disk of another one, if there is another one. Data that equals that of the same name in the newest complete checkpoint is not
     * written again.
     *
     * @param number number of the checkpoint, greater than those of the complete ones of the series
     * @param state  the state; its data must not change before this method returns
     * @throws IOException when the state cannot be kept here or there; the other checkpoints stay as they are
     */
    void write(int number, SavedRank state) throws IOException;

    /**
     * Completes a checkpoint which all ranks of the job have written, on this node and where it keeps its copies.
     *
     * @throws IOException when that fails
     */
    void complete(int number) throws IOException;

    /** Removes what was written of a checkpoint that is not complete, here and where the copies are. */
    void discard(int number);

    /** Removes all checkpoints of the series that are older than one that is complete on all nodes, here and where the copies are. */
    void removeOlder(int number);
}
