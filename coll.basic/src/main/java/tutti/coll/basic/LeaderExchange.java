package tutti.coll.basic;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Reduction;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/** Exchange of reduced data between the leaders of two groups, rank 0 of each. */
final class LeaderExchange {
    private LeaderExchange() {}

    /**
     * Plans a reduction to each leader and the exchange of the results between the leaders.
     *
     * @param input        this rank's contribution
     * @param remoteResult where the leader receives the remote group's result; not used on other ranks, where it may be null
     */
    static void exchangeReduced(final AdvancedPlan plan, final CollSubComm group, final Reduction reduction, final long count,
        final BufferRange input,
        final @Nullable BufferRange remoteResult) {
        final BufferRange localResult = plan.rank() == 0 ? plan.scratch(input.bytes()) : null;
        plan.nested(group, Operation.REDUCE, new Call.Reduce(reduction, count, 0, false), input, localResult);
        if (localResult != null) {
            plan.send(localResult, 0);
            plan.recv(Objects.requireNonNull(remoteResult, "the leader receives a result"), 0);
        }
    }
}
