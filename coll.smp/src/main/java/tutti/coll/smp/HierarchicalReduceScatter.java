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
import tutti.coll.patterns.Dependencies;

/**
 * Reduce-scatter in both forms over nodes: each node reduces to its leader, the leaders run a reduce-scatter among themselves, and all others copy
 * their block from their leader's memory.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one contribution per node is sent over the network. Where the blocks of a node are not contiguous, its leader first copies them into the
 * order of nodes. The first two phases are collectives on sub-communicators and run the algorithms selected there. The data is not cut into segments:
 * a segment would have a part of each node's blocks, which are not contiguous, and so would need one reduction per node.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     (0 2 4) at 0, (1 3) at 1;  0 ↔ 1:  [0 2 4] at 0, [1 3] at 1;  0 ⇒ 2 4, 1 ⇒ 3 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: the reduction of kqm bytes within a node, the leaders' reduce-scatter of blocks of qm bytes
 * among k ranks, and q-1 reads of m bytes at the same time.
 * <p>Needs: two nodes or more; any placement, any block sizes; keeps the order of ranks where the ranks of each node are consecutive, otherwise the
 * operation must commute.
 * <p>Memory: on leaders the blocks of the node, and of two ranks or more all blocks; all blocks once more where those of a node are not contiguous.
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
        final NodeBlockOrder order = NodeBlockOrder.of(levels.nodes(), call.blocks());
        final int rank = plan.rank();
        final int leader = levels.nodes().nodeMembers(rank).getFirst();
        if (levels.nodes().leads(rank)) {
            lead(call, plan, order);
            return;
        }
        final Reduction reduction = call.reduction();
        final int reduced = plan.nested(levels.node(), Operation.REDUCE, whole(call, reduction), call.input(), null);
        final long own = call.blocks().bytes(rank);
        if (own > 0) {
            final int available = plan.await(leader, 0);
            plan.post(plan.get(leader, order.inNode(Buffer.SCRATCH, rank), Buffer.RECV.at(0, own),
                call.inPlace() ? Dependencies.of(available, reduced) : Dependencies.of(available)));
        }
    }

    private static Call.Reduce whole(final Call.ReduceScatter call, final Reduction reduction) {
        return new Call.Reduce(reduction, call.blocks().total() / reduction.elementBytes(), 0, false);
    }

    private void lead(final Call.ReduceScatter call, final Plan plan, final NodeBlockOrder order) {
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().nodeMembers(rank);
        final Blocks blocks = order.nodeBlocks();
        final BufferRange result = plan.scratch(blocks.bytes(levels.nodes().nodeOf().get(rank)));
        BufferRange ofNode = call.input();
        int[] ready = Dependencies.NONE;
        if (members.size() > 1) {
            ofNode = plan.scratch(blocks.total());
            ready = Dependencies.of(plan.nested(levels.node(), Operation.REDUCE, whole(call, call.reduction()), call.input(), ofNode));
        }
        if (!order.isTrivial()) {
            final BufferRange sorted = plan.scratch(blocks.total());
            final Dependencies moved = new Dependencies();
            for (final int r : order.nonEmpty(levels.nodes().members().stream().flatMap(List::stream).toList())) {
                moved.add(plan.copy(ofNode.slice(call.blocks().offset(r), call.blocks().bytes(r)),
                    sorted.slice(order.starts()[r], call.blocks().bytes(r)), ready));
            }
            ofNode = sorted;
            ready = moved.all();
        }
        final Call.ReduceScatter amongLeaders = new Call.ReduceScatter(call.reduction(), blocks, false);
        final int done = plan.nested(levels.leaders(), Operation.REDUCE_SCATTER, amongLeaders, ofNode, result, ready);
        final List<Integer> readers = order.nonEmpty(members.subList(1, members.size()));
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
