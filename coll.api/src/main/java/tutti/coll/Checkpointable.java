package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/** A {@link CollInstance} that takes part in checkpoints implements this too; to others a checkpoint is no business. */
@ConsumerType
public interface Checkpointable {

    /** Brings the communicator to a state in which it can be saved: nothing of the module's own is under way. */
    void checkpoint();

    /** The checkpoint is done and the job goes on. */
    void resume();

    /** The job was restored from a checkpoint: connections of the module's own must be made again. */
    void restart();
}
