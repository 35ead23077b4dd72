package tutti.coll.basic;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Broadcast to another group for long data: the root sends each rank of that group a slice, and an allgather there collects them.
 *
 * <p>Source: M. Barnett, L. Shuler, R. van de Geijn, S. Gupta, D. Payne, J. Watts, Interprocessor collective communication library (InterCom),
 * SHPCC 1994, doi:10.1109/SHPCC.1994.296665 (scatter and allgather); the scatter to another group is new in this module.
 * <p>Idea: all ranks of the receiving group share the work of distributing the data. Slices are those of {@link GroupSlices}. The other ranks of the
 * root's group take no part.
 * <pre>
 *   3 ranks, root 1; and 2 ranks     1 → a [0],  1 → b [1];   allgather of a b
 * </pre>
 * <p>Cost for q ranks in the receiving group, n bytes that q divides, where the module itself serves the group: at most (q + 2⌈log2 q⌉ - 1) α + 3nβ,
 * for any q > 1, where {@link LeadersBcast} takes (1 + ⌈log2 q⌉) nβ. q messages between the groups, and the allgather's.
 * <p>Needs: nothing; any two groups, any root, any n.
 * <p>Memory: what the allgather needs.
 */
final class SlicesBcast implements AdvancedAlgorithm<Call.Bcast> {
    static final String NAME = "slices";

    private final CollSubComm group;

    SlicesBcast(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        if (call.root() == Call.ROOT) {
            final GroupSlices slices = GroupSlices.of(call.bytes(), 1, 1, plan.remoteSize());
            for (int peer = 0; peer < plan.remoteSize(); peer++) {
                final BufferRange slice = slices.receivers().of(data, peer);
                if (slice.bytes() > 0) {
                    plan.send(slice, peer);
                }
            }
        } else {
            final GroupSlices slices = GroupSlices.of(call.bytes(), 1, 1, plan.size());
            final BufferRange slice = slices.received(plan);
            if (slice.bytes() > 0) {
                plan.recv(slice, call.root());
            }
            slices.allgather(plan, group, data);
        }
    }
}
