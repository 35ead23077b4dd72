package tutti.coll.plan;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.advanced.CollSubComm;

/**
 * The communicator of a plan, or of a part of a plan, as the planning rank sees it.
 *
 * @param <M> the type of communicators
 */
@ConsumerType
public interface PlanComm<M extends PlanComm<M>> {

    /** Returns the planning rank's number in its group, from 0. */
    int rank();

    /** Returns the number of ranks in the planning rank's group. */
    int size();

    /** Returns whether the communicator is an intercommunicator. */
    boolean isInter();

    /** Returns the number of ranks that the planning rank communicates with. */
    int remoteSize();

    /** Returns whether a peer is on the planning rank's node. */
    boolean isOnSameNode(int peer);

    /**
     * Returns a sub-communicator.
     *
     * @throws IllegalArgumentException if the group is not a sub-communicator of this communicator
     */
    M sub(CollSubComm group);

    /** Plans an operation on this communicator, by the algorithm that serves it. Plans nothing for a call that the algorithm skips. */
    <C extends Call> void plan(Operation<C> operation, C call, Plan plan);
}
