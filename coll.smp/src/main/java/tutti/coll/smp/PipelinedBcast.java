package tutti.coll.smp;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.patterns.Segments;

/**
 * Broadcast to another group: the root sends to the leader of that group, its rank 0, which broadcasts there, segment by segment.
 *
 * <p>Source: phases as in MPICH, algorithm {@code bcast_inter_remote_send_local_bcast}; segments as in {@link HierarchicalBcast}.
 * <p>Idea: the data is sent from group to group once. While the leader receives a segment, its group distributes the one before. The broadcasts are
 * collectives of the group and run the algorithms selected there. The other ranks of the root's group take no part.
 * <pre>
 *   3 ranks, root 1; and 4 ranks     1 → a [segment 0];   1 → a [segment 1], broadcast of a to a b c d [segment 0];   ...
 * </pre>
 * <p>Cost for q ranks in the receiving group, n bytes in s segments: the messages of s segments to the leader, and the broadcast of the last one,
 * where the group is faster than the messages, as it is on one node. Where a binomial tree serves the group, (s⌈log2 q⌉ + 1)(α + nβ/s). s messages
 * between the groups.
 * <p>Needs: nothing; any two groups, any root, any n.
 * <p>Memory: none of its own.
 */
final class PipelinedBcast implements AdvancedAlgorithm<Call.Bcast> {
    private final CollSubComm group;
    private final long segment;

    PipelinedBcast(final CollSubComm group, final long segment) {
        this.group = group;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final Segments segments = Segments.of(segment, call.bytes(), 1, HierarchicalTable.MAX_SEGMENTS);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange part = segments.of(data, i);
            if (call.root() == Call.ROOT) {
                plan.send(part, 0);
            } else {
                if (plan.rank() == 0) {
                    plan.recv(part, call.root());
                }
                plan.nested(group, Operation.BCAST, new Call.Bcast(part.bytes(), 0), null, part);
            }
        }
    }
}
