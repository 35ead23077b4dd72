package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.CollInstance;

/**
 * Steps of a {@link CollInstance} at checkpoints of a job, which it may implement too.
 *
 * <p>A job can be saved only if every selected instance implements this interface, or {@linkplain CollInstance#servesDuplicates serves duplicates},
 * which says that it keeps nothing that belongs to one communicator. Other instances have state that a checkpoint would not have: the job is then
 * refused, and the module named.
 *
 * <p>The steps are called on the thread of the rank, on all ranks of the communicator, for one communicator after the other in an order that is
 * equal on all ranks. No call of the program is under way. An exception of {@link #checkpoint} means that there is no checkpoint, and the job goes
 * on; one of the other steps ends the job. The state of the module itself is not saved: what it needs, it makes again in {@link #restart}.
 */
@ConsumerType
public interface Checkpointable {

    /**
     * Brings the module to a state in which the job can be saved: afterwards none of its own communication is pending on the communicator.
     *
     * @throws RuntimeException if that is not possible; its message is told to the user
     */
    void checkpoint();

    /** Continues in the same job, whether or not it was saved; called after {@link #checkpoint}. */
    void resume();

    /** Continues in a job that was started from a checkpoint; called once, after {@link CollInstance#init}, before the first call of the program. */
    void restart();
}
