package tutti.runtime.schedule;

import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;

/** Knows the communicator that a plan is for: its sub-communicators, and which of its ranks are on one node. */
public interface PlanContext {
    /** For communicators without any, whose ranks share no memory. */
    PlanContext NONE = new PlanContext() {
        @Override
        public CollectiveChannel channel(final CollSubComm group) {
            throw new IllegalArgumentException("not a sub-communicator of this communicator: group=" + group);
        }

        @Override
        public <C extends Call> void plan(final CollSubComm group, final Operation<C> operation, final C call, final Plan plan) {
            throw new IllegalStateException("there is no sub-communicator: group=" + group);
        }
    };

    /**
     * Where the messages of a group go.
     *
     * @throws IllegalArgumentException when it does not belong to the communicator
     */
    CollectiveChannel channel(CollSubComm group);

    /** Has the module that serves the operation on the group plan it. */
    <C extends Call> void plan(CollSubComm group, Operation<C> operation, C call, Plan plan);

    /** Knows the same of one of the sub-communicators. */
    default PlanContext within(final CollSubComm group) {
        return NONE;
    }

    /** Whether two ranks are on one node. */
    default boolean areNear(final int one, final int other) {
        return false;
    }
}
