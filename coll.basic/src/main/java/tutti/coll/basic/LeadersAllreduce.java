package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Allreduce of two groups: each reduces to its leader, which is its rank 0; the leaders exchange the results and broadcast those received.
 *
 * <p>Source: MPICH, algorithm {@code allreduce_inter_reduce_exchange_bcast}.
 * <p>Idea: each result is sent to the other group once, in both directions at the same time. All ranks of a group receive the same bits,
 * computed by one rank.
 * <pre>
 *   3 and 2 ranks     reduce of 0 1 2 to 0, of a b to a;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for the larger group of p ranks, n bytes: (2⌈log2 p⌉ + 1)(α + nβ) + ⌈log2 p⌉ nγ where the module itself serves the groups; 2 messages,
 * and 2(p-1) in each group.
 * <p>Needs: nothing; any two groups; keeps the order of ranks if the nested reduction does.
 * <p>Memory: n bytes on the leaders, and what the reduction needs.
 */
final class LeadersAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersAllreduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final BufferRange remoteResult = Buffer.RECV.at(0, call.bytes());
        LeaderExchange.exchangeReduced(plan, group, call.reduction(), call.count(), call.input(), remoteResult);
        plan.nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, remoteResult);
    }
}
