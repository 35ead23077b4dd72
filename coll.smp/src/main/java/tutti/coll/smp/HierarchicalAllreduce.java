package tutti.coll.smp;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.Segments;

/**
 * Allreduce over nodes: each node reduces to its leader, the leaders run an allreduce among themselves and broadcast the result within their nodes,
 * segment by segment.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node is sent over the network. While the leaders combine a segment, the next one is reduced within their nodes and
 * the previous one is broadcast there. Partial results are in the leaders' receive buffers, and all ranks get the same bits as the leaders. Each
 * phase is a collective on a sub-communicator and runs the algorithm selected there.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     (0 2 4) at 0, (1 3) at 1;  0 ↔ 1 (0 2 4 1 3);  0 → 2 4, 1 → 3
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s segments: the leaders' allreduce of s segments among k ranks; within a node a reduction of the first
 * segment before it, and a broadcast of the last segment after it.
 * <p>Needs: two nodes or more; any placement; keeps the order of ranks where the ranks of each node are consecutive, otherwise the operation must
 * commute.
 * <p>Memory: none of its own.
 */
final class HierarchicalAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalAllreduce(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        final boolean leads = levels.nodes().leads(plan.rank());
        final boolean isAlone = levels.nodes().nodeMembers(plan.rank()).size() == 1;
        final long element = call.reduction().elementBytes();
        final Segments segments = Segments.of(segment, call.bytes(), element, HierarchicalTable.MAX_SEGMENTS);
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange in = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            final long count = in.bytes() / element;
            if (!isAlone) {
                final boolean inPlace = leads && call.inPlace();
                final Call.Reduce inNode = new Call.Reduce(call.reduction(), count, 0, inPlace);
                plan.nested(levels.node(), Operation.REDUCE, inNode, inPlace ? null : in, leads ? out : null);
            }
            if (leads) {
                final boolean inPlace = !isAlone || call.inPlace();
                final Call.Allreduce amongLeaders = new Call.Allreduce(call.reduction(), count, inPlace);
                plan.nested(levels.leaders(), Operation.ALLREDUCE, amongLeaders, inPlace ? null : in, out);
            }
            if (!isAlone) {
                plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(out.bytes(), 0), null, out);
            }
        }
    }
}
