package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Checkpoint callbacks of a {@link CollInstance}, which may implement this interface too. An instance that does not implement it takes no
 * action at checkpoints.
 *
 * <p><b>Not called yet:</b> the runtime has no checkpoints so far and never calls these methods. The interface fixes their contract.
 */
@ConsumerType
public interface Checkpointable {

    /** Brings the module to a state that can be saved: afterwards none of its own communication is pending on the communicator. */
    void checkpoint();

    /** Continues after a checkpoint, in the same job. */
    void resume();

    /** Continues after the job was restored from a checkpoint: the module must establish its own connections again. */
    void restart();
}
