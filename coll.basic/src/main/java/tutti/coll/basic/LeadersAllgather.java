package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollSubComm;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Allgather of two groups: each gathers to its leader, its rank 0; the leaders swap what they have and broadcast what they got.
 *
 * <p>Source: textbook.
 * <p>Idea: the data of a group crosses to the other once, both at the same time.
 * <pre>
 *   3 and 2 ranks     gather of 0 1 2 to 0, of a b to a;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for two groups of p ranks, blocks of n bytes: (2⌈log2 p⌉ + 1) α + (2p - 1 + ⌈log2 p⌉ p) nβ where the module itself serves the groups; 2
 * messages, and 2(p-1) in each group.
 * <p>Needs: in each group blocks of one size, one after the other; any two groups.
 * <p>Memory: pn bytes on the leaders, and what the gather needs.
 */
final class LeadersAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersAllgather(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final boolean leads = plan.rank() == 0;
        final Call.Gather here = new Call.Gather(call.sendBytes(), Blocks.uniform(plan.size(), call.sendBytes()), 0, false);
        final BufferRange ours = leads ? plan.scratch(here.recv().total()) : null;
        final BufferRange theirs = Buffer.RECV.at(0, call.recv().total());
        final int gathered = plan.nested(group, Operation.GATHER, here, call.input(plan.rank()), ours);
        int[] arrived = {};
        if (leads) {
            plan.send(ours, 0, gathered);
            arrived = new int[] {plan.recv(theirs, 0)};
        }
        plan.nested(group, Operation.BCAST, new Call.Bcast(theirs.bytes(), 0), null, theirs, arrived);
    }
}
