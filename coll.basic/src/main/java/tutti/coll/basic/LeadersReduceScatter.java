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
 * Reduce-scatter of two groups: each reduces to its leader, which is its rank 0; the leaders exchange the results and scatter those received.
 *
 * <p>Source: MPICH, algorithm {@code reduce_scatter_inter_remote_reduce_local_scatter}; here the reduction is local.
 * <p>Idea: contributions have the same length in both groups, but are divided into different blocks. Each result is sent to the other group
 * once, in both directions at the same time.
 * <pre>
 *   3 and 2 ranks     reduce of 0 1 2 to 0, of a b to a;   0 ↔ a;   scatter of 0 to 0 1 2, of a to a b
 * </pre>
 * <p>Cost for the larger group of p ranks, contributions of n bytes, where the module itself serves the groups: blocks of equal size:
 * (2⌈log2 p⌉ + 1)α + (⌈log2 p⌉ + 1 + (p-1)/p) nβ + ⌈log2 p⌉ nγ; other blocks: (⌈log2 p⌉ + p)α and the same bytes.
 * <p>Needs: nothing; any two groups, any block sizes; keeps the order of ranks if the nested reduction does.
 * <p>Memory: 2n bytes on the leaders, and what the group's operations need.
 */
final class LeadersReduceScatter implements AdvancedAlgorithm<Call.ReduceScatter> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersReduceScatter(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final AdvancedPlan plan) {
        final Blocks blocks = call.blocks();
        if (blocks.total() == 0) {
            return;
        }
        final boolean isLeader = plan.rank() == 0;
        final BufferRange remoteResult = isLeader ? plan.scratch(blocks.total()) : null;
        final long count = blocks.total() / call.reduction().elementBytes();
        LeaderExchange.exchangeReduced(plan, group, call.reduction(), count, call.input(), remoteResult);
        final boolean uniform = blocks.isUniform();
        final Call.Scatter scatter = new Call.Scatter(uniform || isLeader ? blocks : null, blocks.bytes(plan.rank()), 0, false);
        plan.nested(group, uniform ? Operation.SCATTER : Operation.SCATTERV, scatter, remoteResult, Buffer.RECV.at(0, scatter.recvBytes()));
    }
}
