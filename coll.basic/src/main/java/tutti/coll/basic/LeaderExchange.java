package tutti.coll.basic;

import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/** The leaders of two groups, rank 0 of each, swap what their groups have. */
final class LeaderExchange {
    private LeaderExchange() { }

    /**
     * Reduces to the leaders, who swap the results.
     *
     * @param input  what this rank contributes
     * @param theirs where the leader gets the other group's result; other ranks do not look at it
     * @return what comes after it must come after these tasks
     */
    static int[] swapReduced(final Plan plan, final CollSubComm group, final Reduction reduction, final long count, final BufferRange input,
                             final BufferRange theirs) {
        final boolean leads = plan.rank() == 0;
        final BufferRange ours = leads ? plan.scratch(input.bytes()) : null;
        final int reduced = plan.nested(group, Operation.REDUCE, new Call.Reduce(reduction, count, 0, false), input, ours);
        if (!leads) {
            return new int[0];
        }
        plan.send(ours, 0, reduced);
        return new int[] {plan.recv(theirs, 0)};
    }
}
