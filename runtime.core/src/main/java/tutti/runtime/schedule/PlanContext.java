package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.advanced.CollSubComm;

/** The communicator that a plan is made for: its sub-communicators, and which of its ranks are on the same node. */
public interface PlanContext {
    /** A context without sub-communicators, whose ranks share no memory. */
    PlanContext NONE = new PlanContext() {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
        }

        @Override
        public <C extends Call> ServingAlgorithm plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            throw new IllegalStateException("no sub-communicator: group=" + group);
        }
    };

    /**
     * Returns the channel of a sub-communicator.
     *
     * @throws IllegalArgumentException if it does not belong to the communicator
     */
    CollectiveChannel channel(CollSubComm group);

    /**
     * Plans an operation on a sub-communicator, by the module that was selected for it.
     *
     * @return the algorithm that planned it; null if nothing was planned
     */
    <C extends Call> @Nullable ServingAlgorithm plan(CollSubComm group, Operation<C> operation, C call, Plan plan);

    /** Returns the context of a sub-communicator. */
    default PlanContext within(final CollSubComm group) {
        return NONE;
    }

    /** Returns whether two ranks are on the same node. */
    default boolean areOnSameNode(final int one, final int other) {
        return false;
    }
}
