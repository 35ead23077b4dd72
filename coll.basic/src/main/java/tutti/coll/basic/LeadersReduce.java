package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Reduce to a rank of another group: the group reduces to its leader, its rank 0, which sends the result to the root.
 *
 * <p>Source: MPICH, algorithm {@code reduce_inter_local_reduce_remote_send}.
 * <p>Idea: the result is sent from group to group once. The other ranks of the root's group have no tasks.
 * <pre>
 *   4 ranks; and 3 ranks, root 1     reduce of a b c d to a;   a → 1
 * </pre>
 * <p>Cost for q ranks in the sending group, n bytes: (1 + ⌈log2 q⌉)(α + nβ) + ⌈log2 q⌉ nγ where the module itself serves the group; q messages.
 * <p>Needs: nothing; any two groups, any root; keeps the order of ranks if the nested reduction does.
 * <p>Memory: n bytes on the leader, and what the reduction needs.
 */
final class LeadersReduce implements AdvancedAlgorithm<Call.Reduce> {
    static final String NAME = "leaders";

    private final CollSubComm group;

    LeadersReduce(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        if (call.root() == Call.ROOT) {
            plan.recv(Buffer.RECV.at(0, call.bytes()), 0);
        } else if (call.root() != Call.PROC_NULL) {
            final Call.Reduce localReduce = new Call.Reduce(call.reduction(), call.count(), 0, false);
            final BufferRange result = plan.rank() == 0 ? plan.scratch(call.bytes()) : null;
            plan.nested(group, Operation.REDUCE, localReduce, call.input(), result);
            if (result != null) {
                plan.send(result, call.root());
            }
        }
    }
}
