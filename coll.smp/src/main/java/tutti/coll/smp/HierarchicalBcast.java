package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Broadcast over nodes: the root's node first, then the leaders of all nodes, then the other nodes, piece by piece.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: the data goes to each node once. A root that leads its node serves the other leaders and its node at the same time; another one hands
 * each piece to its node, and its leader passes it on. Leaders pass a piece on to their nodes while the next one comes. Both levels are
 * broadcasts of sub-communicators: whatever module serves them.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     2 → 0 4;  0 → 1;  1 → 3
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s pieces: the leaders' broadcast of s pieces to k ranks, and before and after it that of one piece
 * within a node; before it none where the root leads.
 * <p>Needs: two nodes or more; any placement, any root, any n.
 * <p>Memory: none of its own.
 */
final class HierarchicalBcast implements Algorithm<Call.Bcast> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalBcast(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final NodeGroups nodes = levels.nodes();
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final List<Integer> members = nodes.with(plan.rank());
        final boolean isRootHere = members.contains(call.root());
        final boolean leads = nodes.leads(plan.rank());
        final int first = members.indexOf(isRootHere ? call.root() : members.getFirst());
        final Segments pieces = Segments.of(segment, call.bytes(), 1);
        for (int i = 0; i < pieces.count(); i++) {
            final BufferRange piece = pieces.of(data, i);
            int[] there = Dependencies.NONE;
            if (isRootHere && first > 0) {
                there = Dependencies.of(inNode(plan, piece, first));
            }
            if (leads) {
                there = Dependencies.of(plan.nested(levels.leaders(), Operation.BCAST,
                    new Call.Bcast(piece.bytes(), nodes.nodeOf().get(call.root())), null,
                    piece, there));
            }
            if (!isRootHere && members.size() > 1) {
                inNode(plan, piece, first, there);
            }
        }
        if (isRootHere && first == 0 && members.size() > 1 && call.bytes() > 0) {
            inNode(plan, data, first);
        }
    }

    private int inNode(final Plan plan, final BufferRange piece, final int root, final int... there) {
        return plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(piece.bytes(), root), null, piece, there);
    }
}
