package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Reduce-scatter in both forms over nodes: each node reduces to its leader, the leaders have a reduce-scatter of their own, and all others copy
 * their block out of their leader's memory.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node goes over the network. Where the blocks of a node do not lie one after the other, its leader puts them so
 * first. The first two parts are collectives of sub-communicators: whatever module serves them. It is not cut into pieces: one takes something of
 * each node's blocks, which do not lie together, so each would be as many reductions as there are nodes.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     (0 2 4) at 0, (1 3) at 1;  0 ↔ 1:  [0 2 4] at 0, [1 3] at 1;  0 ⇒ 2 4, 1 ⇒ 3 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: the reduction of kqm bytes within a node, the leaders' reduce-scatter of blocks of qm bytes
 * among k ranks, and q-1 reads of m bytes at the same time.
 * <p>Needs: two nodes or more; any placement, any block sizes; keeps the order of ranks where the ranks of each node are neighbours, else the
 * operation must commute.
 * <p>Memory: all blocks and those of the node on leaders; all blocks once more where those of nodes do not lie one after the other.
 */
final class HierarchicalReduceScatter implements Algorithm<Call.ReduceScatter> {
    private final HierarchyLevels levels;

    HierarchicalReduceScatter(final HierarchyLevels levels) {
        this.levels = levels;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        if (call.blocks().total() == 0) {
            return;
        }
        final NodeBlockOrder packing = NodeBlockOrder.of(levels.nodes(), call.blocks());
        final int rank = plan.rank();
        final int leader = levels.nodes().with(rank).getFirst();
        if (levels.nodes().leads(rank)) {
            lead(call, plan, packing);
            return;
        }
        final Reduction reduction = call.reduction();
        final int given = plan.nested(levels.node(), Operation.REDUCE, whole(call, reduction), call.input(), null);
        final long own = call.blocks().bytes(rank);
        if (own > 0) {
            final int there = plan.await(leader, 0);
            plan.post(plan.get(leader, packing.inNode(Buffer.SCRATCH, rank), Buffer.RECV.at(0, own),
                call.inPlace() ? Dependencies.of(there, given) : Dependencies.of(there)));
        }
    }

    private static Call.Reduce whole(final Call.ReduceScatter call, final Reduction reduction) {
        return new Call.Reduce(reduction, call.blocks().total() / reduction.elementBytes(), 0, false);
    }

    private void lead(final Call.ReduceScatter call, final Plan plan, final NodeBlockOrder packing) {
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().with(rank);
        final Blocks blocks = packing.ofNodes();
        final BufferRange result = plan.scratch(blocks.bytes(levels.nodes().nodeOf().get(rank)));
        BufferRange ours = call.input();
        int[] ready = Dependencies.NONE;
        if (members.size() > 1) {
            ours = plan.scratch(blocks.total());
            ready = Dependencies.of(plan.nested(levels.node(), Operation.REDUCE, whole(call, call.reduction()), call.input(), ours));
        }
        if (!packing.isTrivial()) {
            final BufferRange sorted = plan.scratch(blocks.total());
            final Dependencies moved = new Dependencies();
            for (final int r : packing.filled(levels.nodes().members().stream().flatMap(List::stream).toList())) {
                moved.add(plan.copy(ours.slice(call.blocks().offset(r), call.blocks().bytes(r)),
                    sorted.slice(packing.starts()[r], call.blocks().bytes(r)), ready));
            }
            ours = sorted;
            ready = moved.all();
        }
        final Call.ReduceScatter amongLeaders = new Call.ReduceScatter(call.reduction(), blocks, false);
        final int done = plan.nested(levels.leaders(), Operation.REDUCE_SCATTER, amongLeaders, ours, result, ready);
        final List<Integer> readers = packing.filled(members.subList(1, members.size()));
        if (!readers.isEmpty()) {
            plan.post(done);
        }
        if (call.blocks().bytes(rank) > 0) {
            plan.copy(result.slice(0, call.blocks().bytes(rank)), Buffer.RECV.at(0, call.blocks().bytes(rank)), done);
        }
        for (final int reader : readers) {
            plan.await(reader, 0);
        }
    }
}
