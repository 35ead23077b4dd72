package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Scatter to another group: the root sends all blocks in one message to the leader of that group, its rank 0, which scatters them there.
 *
 * <p>Source: MPICH, algorithm {@code scatter_inter_remote_send_local_scatter}.
 * <p>Idea: the root sends one message, but all blocks except the leader's are sent twice. The other ranks of the root's group have no tasks.
 * <pre>
 *   3 ranks, root 1; and 4 ranks     1 → a [a b c d];   scatter of a to a b c d
 * </pre>
 * <p>Cost for q ranks in the receiving group, blocks of n bytes: (⌈log2 q⌉ + 1) α + (2q - 1) nβ where the module itself serves the group; q
 * messages.
 * <p>Needs: blocks of equal size, one after the other; any two groups, any root.
 * <p>Memory: qn bytes on the leader, and what the scatter needs.
 */
final class LeadersScatter implements AdvancedAlgorithm<Call.Scatter> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersScatter(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Scatter call, final AdvancedPlan plan) {
        if (call.root() == Call.ROOT) {
            plan.send(Buffer.SEND.at(0, Objects.requireNonNull(call.send(), "the root knows the blocks").total()), 0);
        } else if (call.root() != Call.PROC_NULL) {
            final Blocks blocks = Blocks.uniform(plan.size(), call.recvBytes());
            final Call.Scatter localScatter = new Call.Scatter(blocks, call.recvBytes(), 0, false);
            final BufferRange all = plan.rank() == 0 ? plan.scratch(blocks.total()) : null;
            if (all != null) {
                plan.recv(all, call.root());
            }
            plan.nested(group, Operation.SCATTER, localScatter, all, Buffer.RECV.at(0, call.recvBytes()));
        }
    }
}
