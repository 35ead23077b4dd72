package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Broadcast to another group: the root sends to the leader of that group, its rank 0, which broadcasts there.
 *
 * <p>Source: MPICH, algorithm {@code bcast_inter_remote_send_local_bcast}.
 * <p>Idea: the data is sent from group to group once. The other ranks of the root's group have no tasks.
 * <pre>
 *   3 ranks, root 1; and 4 ranks     1 → a;   broadcast of a to a b c d
 * </pre>
 * <p>Cost for q ranks in the receiving group, n bytes: (1 + ⌈log2 q⌉)(α + nβ) where the module itself serves the group; q messages.
 * <p>Needs: nothing; any two groups, any root, any n.
 * <p>Memory: none.
 */
final class LeadersBcast implements AdvancedAlgorithm<Call.Bcast> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersBcast(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (call.root() == Call.ROOT) {
            plan.send(data, 0);
        } else if (call.root() != Call.PROC_NULL) {
            if (plan.rank() == 0) {
                plan.recv(data, call.root());
            }
            plan.nested(group, Operation.BCAST, new Call.Bcast(call.bytes(), 0), null, data);
        }
    }
}
