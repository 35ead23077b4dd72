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
 * Gather from another group: the group gathers to its leader, its rank 0, which sends all blocks to the root in one message.
 *
 * <p>Source: MPICH, algorithm {@code gather_inter_local_gather_remote_send}.
 * <p>Idea: the root receives one message, but all blocks except the leader's are sent twice. The other ranks of the root's group have no
 * tasks.
 * <pre>
 *   4 ranks; and 3 ranks, root 1     gather of a b c d to a;   a → 1 [a b c d]
 * </pre>
 * <p>Cost for q ranks in the sending group, blocks of n bytes: (⌈log2 q⌉ + 1) α + (2q - 1) nβ where the module itself serves the group; q messages.
 * <p>Needs: blocks of equal size, one after the other; any two groups, any root.
 * <p>Memory: qn bytes on the leader, and what the gather needs.
 */
final class LeadersGather implements AdvancedAlgorithm<Call.Gather> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersGather(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Gather call, final AdvancedPlan plan) {
        if (call.root() == Call.ROOT) {
            plan.recv(Buffer.RECV.at(0, Objects.requireNonNull(call.recv(), "the root knows the blocks").total()), 0);
        } else if (call.root() != Call.PROC_NULL) {
            final Blocks blocks = Blocks.uniform(plan.size(), call.sendBytes());
            final Call.Gather localGather = new Call.Gather(call.sendBytes(), blocks, 0, false);
            final BufferRange all = plan.rank() == 0 ? plan.scratch(blocks.total()) : null;
            plan.nested(group, Operation.GATHER, localGather, call.input(plan.rank()), all);
            if (all != null) {
                plan.send(all, call.root());
            }
        }
    }
}
