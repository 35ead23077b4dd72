package tutti.coll.basic;

import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Allgather of two groups: each gathers to its leader, which is its rank 0; the leaders exchange the blocks and broadcast those received.
 *
 * <p>Source: MPICH, algorithm {@code allgather_inter_local_gather_remote_bcast}; localGather the broadcast is local.
 * <p>Idea: the data of each group is sent to the other group once, in both directions at the same time.
 * <pre>
 *   3 and 2 ranks     gather of 0 1 2 to 0, of a b to a;   0 ↔ a;   broadcast of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for two groups of p ranks, blocks of n bytes: (2⌈log2 p⌉ + 1) α + (2p - 1 + ⌈log2 p⌉ p) nβ where the module itself serves the groups; 2
 * messages, and 2(p-1) in each group.
 * <p>Needs: in each group blocks of equal size, one after the other; any two groups.
 * <p>Memory: pn bytes on the leaders, and what the gather needs.
 */
final class LeadersAllgather implements AdvancedAlgorithm<Call.Allgather> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersAllgather(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Allgather call, final AdvancedPlan plan) {
        final Blocks blocks = Blocks.uniform(plan.size(), call.sendBytes());
        final Call.Gather localGather = new Call.Gather(call.sendBytes(), blocks, 0, false);
        final BufferRange localBlocks = plan.rank() == 0 ? plan.scratch(blocks.total()) : null;
        final BufferRange remoteBlocks = Buffer.RECV.at(0, call.recv().total());
        plan.nested(group, Operation.GATHER, localGather, call.input(plan.rank()), localBlocks);
        if (localBlocks != null) {
            plan.send(localBlocks, 0);
            plan.recv(remoteBlocks, 0);
        }
        plan.nested(group, Operation.BCAST, new Call.Bcast(remoteBlocks.bytes(), 0), null, remoteBlocks);
    }
}
