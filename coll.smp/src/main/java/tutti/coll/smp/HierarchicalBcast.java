package tutti.coll.smp;

import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.Segments;

/**
 * Broadcast over nodes: first within the root's node, then among the leaders of all nodes, then within the other nodes, segment by segment.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: the data is sent to each node once. A root that is a leader serves the other leaders and its node at the same time. Any other root first
 * broadcasts each segment within its node, whose leader forwards it. Leaders forward a segment within their nodes while the next one arrives. Both
 * levels are broadcasts on sub-communicators and run the algorithms selected there.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     2 → 0 4;  0 → 1;  1 → 3
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s segments: the leaders' broadcast of s segments to k ranks; before it the broadcast of one segment
 * within a node, unless the root is a leader, and after it another.
 * <p>Needs: two nodes or more; any placement, any root, any n.
 * <p>Memory: none of its own.
 */
final class HierarchicalBcast implements AdvancedAlgorithm<Call.Bcast> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalBcast(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        final NodeGroups nodes = levels.nodes();
        final BufferRange buffer = Buffer.RECV.at(0, call.bytes());
        final List<Integer> members = nodes.nodeMembers(plan.rank());
        final boolean isRootHere = members.contains(call.root());
        final int first = members.indexOf(isRootHere ? call.root() : members.getFirst());
        final Segments segments = Segments.of(segment, call.bytes(), 1, HierarchicalTable.MAX_SEGMENTS);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange data = segments.of(buffer, i);
            if (isRootHere && first > 0) {
                plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(data.bytes(), first), null, data);
            }
            if (nodes.leads(plan.rank())) {
                plan.nested(levels.leaders(), Operation.BCAST, new Call.Bcast(data.bytes(), nodes.nodeOf().get(call.root())), null, data);
            }
            if (!isRootHere && members.size() > 1) {
                plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(data.bytes(), first), null, data);
            }
        }
        if (isRootHere && first == 0 && members.size() > 1 && call.bytes() > 0) {
            plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(call.bytes(), first), null, buffer);
        }
    }
}
