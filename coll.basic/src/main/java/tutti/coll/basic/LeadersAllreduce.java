package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Allreduce of two groups: each reduces to its leader, its rank 0; the leaders swap results and broadcast what they got.
 *
 * <p>Source: textbook.
 * <p>Idea: each result crosses from group to group once, both at the same time. All ranks of a group get the bits that one rank computed.
 * <pre>
 *   3 and 2 ranks     reduce of 0 1 2 to 0, of a b to a;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for the larger group of p ranks, n bytes: (2⌈log2 p⌉ + 1)(α + nβ) + ⌈log2 p⌉ nγ where the module itself serves the groups; 2 messages,
 * and 2(p-1) in each group.
 * <p>Needs: nothing; any two groups; keeps the order of ranks where what serves the group does.
 * <p>Memory: n bytes on the leaders, and what the reduction needs.
 */
final class LeadersAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersAllreduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final BufferRange theirs = Buffer.RECV.at(0, call.bytes());
        final int[] arrived = LeaderExchange.swapReduced(plan, group, call.reduction(), call.count(), call.input(), theirs);
        plan.nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, theirs, arrived);
    }
}
