package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Allreduce over nodes: each node reduces to its leader, the leaders have an allreduce of their own and broadcast in their nodes, piece by
 * piece.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node goes over the network. While the leaders deal with a piece, the next one is reduced in their nodes and the
 * one before is broadcast there. All is done in the leaders' receive buffers, and all ranks get the bits that the leaders have. Each part is a
 * collective of a sub-communicator: whatever module serves it.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     (0 2 4) at 0, (1 3) at 1;  0 ↔ 1 (0 2 4 1 3);  0 → 2 4, 1 → 3
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s pieces: the leaders' allreduce of s pieces among k ranks, and within a node a reduction of the
 * first piece before and a broadcast of the last one after it.
 * <p>Needs: two nodes or more; any placement; keeps the order of ranks where the ranks of each node are neighbours, else the operation must
 * commute.
 * <p>Memory: none of its own.
 */
final class HierarchicalAllreduce implements Algorithm<Call.Allreduce> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalAllreduce(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final boolean leads = levels.nodes().leads(plan.rank());
        final boolean isAlone = levels.nodes().with(plan.rank()).size() == 1;
        final long element = call.reduction().elementBytes();
        final Segments pieces = Segments.of(segment, call.bytes(), element);
        for (int i = 0; i < pieces.count(); i++) {
            final BufferRange in = pieces.of(call.input(), i);
            final BufferRange out = pieces.of(Buffer.RECV.at(0, call.bytes()), i);
            final long count = in.bytes() / element;
            int[] done = Dependencies.NONE;
            if (!isAlone) {
                final boolean inPlace = leads && call.inPlace();
                final Call.Reduce inNode = new Call.Reduce(call.reduction(), count, 0, inPlace);
                done = Dependencies.of(plan.nested(levels.node(), Operation.REDUCE, inNode, inPlace ? null : in, leads ? out : null));
            }
            if (leads) {
                final boolean inPlace = !isAlone || call.inPlace();
                done = Dependencies.of(plan.nested(levels.leaders(), Operation.ALLREDUCE, new Call.Allreduce(call.reduction(), count, inPlace),
                    inPlace ? null : in, out, done));
            }
            if (!isAlone) {
                plan.nested(levels.node(), Operation.BCAST, new Call.Bcast(out.bytes(), 0), null, out, leads || call.inPlace() ? done
                    : Dependencies.NONE);
            }
        }
    }
}
