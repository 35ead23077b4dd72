package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Reduce over nodes: each node reduces to its leader, the leaders to that of the root's node, from which the root copies the result, piece by
 * piece.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node goes over the network. While the leaders deal with a piece, the next one is reduced in their nodes. A root
 * that does not lead its node copies the result out of its leader's memory. The reductions are collectives of sub-communicators: whatever module
 * serves them.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     (0 2 4) at 0, (1 3) at 1;  1 → 0 (0 2 4 1 3);  0 ⇒ 2 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, n bytes in s pieces: the leaders' reduction of s pieces among k ranks, and before it the reduction of the
 * first piece within a node.
 * <p>Needs: two nodes or more; any placement, any root; keeps the order of ranks where the ranks of each node are neighbours, else the operation
 * must commute.
 * <p>Memory: n bytes on leaders of two ranks or more; n more on the leader of a root that is none.
 */
final class HierarchicalReduce implements Algorithm<Call.Reduce> {
    private final HierarchyLevels levels;
    private final long segment;

    HierarchicalReduce(final HierarchyLevels levels, final long segment) {
        this.levels = levels;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final NodeGroups nodes = levels.nodes();
        final int rank = plan.rank();
        final int target = nodes.with(call.root()).getFirst();
        final boolean isHandedOn = target != call.root();
        final BufferRange result = rank == call.root() ? Buffer.RECV.at(0, call.bytes()) : rank == target ? plan.scratch(call.bytes()) : null;
        final Segments pieces = Segments.of(segment, call.bytes(), call.reduction().elementBytes());
        final int[] reduced = nodes.leads(rank) ? amongLeaders(call, plan, pieces, rank == target ? result : null) : inNode(call, plan, pieces, null);
        if (isHandedOn && rank == target) {
            for (final int piece : reduced) {
                plan.post(piece);
            }
            plan.await(call.root(), 0);
        } else if (isHandedOn && rank == call.root()) {
            final Dependencies read = new Dependencies();
            for (int i = 0; i < pieces.count(); i++) {
                final int there = plan.await(target, i);
                read.add(plan.get(target, pieces.of(Buffer.SCRATCH.at(0, call.bytes()), i), pieces.of(result, i),
                    call.inPlace() ? Dependencies.of(there, reduced[i]) : Dependencies.of(there)));
            }
            plan.post(read.all());
        }
    }

    /** Returns for each piece the task after which it lies at {@code into} on the leader of the root's node. */
    private int[] amongLeaders(final Call.Reduce call, final Plan plan, final Segments pieces, final BufferRange into) {
        final NodeGroups nodes = levels.nodes();
        final boolean isAlone = nodes.with(plan.rank()).size() == 1;
        final BufferRange ours = isAlone ? call.input() : plan.scratch(call.bytes());
        final int[] here = isAlone ? Dependencies.NONE : inNode(call, plan, pieces, ours);
        final boolean inPlace = isAlone && call.inPlace();
        final Dependencies done = new Dependencies();
        for (int i = 0; i < pieces.count(); i++) {
            final Call.Reduce part =
                new Call.Reduce(call.reduction(), pieces.bytes(i) / call.reduction().elementBytes(), nodes.nodeOf().get(call.root()), inPlace);
            done.add(plan.nested(levels.leaders(), Operation.REDUCE, part, inPlace ? null : pieces.of(ours, i),
                into == null ? null : pieces.of(into, i), isAlone ? Dependencies.NONE : Dependencies.of(here[i])));
        }
        return done.all();
    }

    private int[] inNode(final Call.Reduce call, final Plan plan, final Segments pieces, final BufferRange into) {
        final Dependencies done = new Dependencies();
        for (int i = 0; i < pieces.count(); i++) {
            final Call.Reduce part = new Call.Reduce(call.reduction(), pieces.bytes(i) / call.reduction().elementBytes(), 0, false);
            done.add(plan.nested(levels.node(), Operation.REDUCE, part, pieces.of(call.input(), i), into == null ? null : pieces.of(into, i)));
        }
        return done.all();
    }
}
