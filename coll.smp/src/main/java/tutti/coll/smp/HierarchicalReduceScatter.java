package tutti.coll.smp;

import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

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
final class HierarchicalReduceScatter implements AdvancedAlgorithm<Call.ReduceScatter> {
    private final HierarchyLevels levels;

    HierarchicalReduceScatter(final HierarchyLevels levels) {
        this.levels = levels;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final AdvancedPlan plan) {
        if (call.blocks().total() == 0) {
            return;
        }
        final NodeBlockOrder order = NodeBlockOrder.of(levels.nodes(), call.blocks());
        final int rank = plan.rank();
        final int leader = levels.nodes().nodeMembers(rank).getFirst();
        if (rank == leader) {
            lead(call, plan, order);
            return;
        }
        plan.nested(levels.node(), Operation.REDUCE, whole(call), call.input(), null);
        final BufferRange own = Buffer.RECV.at(0, call.blocks().bytes(rank));
        if (own.bytes() > 0) {
            plan.post(plan.get(leader, order.inNode(Buffer.SCRATCH, rank), own, plan.await(leader, 0)));
        }
    }

    private static Call.Reduce whole(final Call.ReduceScatter call) {
        return new Call.Reduce(call.reduction(), call.blocks().total() / call.reduction().elementBytes(), 0, false);
    }

    private void lead(final Call.ReduceScatter call, final AdvancedPlan plan, final NodeBlockOrder order) {
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().nodeMembers(rank);
        final Blocks blocks = order.nodeBlocks();
        final BufferRange result = plan.scratch(blocks.bytes(levels.nodes().nodeOf().get(rank)));
        BufferRange ofNode = call.input();
        if (members.size() > 1) {
            ofNode = plan.scratch(blocks.total());
            plan.nested(levels.node(), Operation.REDUCE, whole(call), call.input(), ofNode);
        }
        if (!order.isTrivial()) {
            final BufferRange sorted = plan.scratch(blocks.total());
            for (final int r : order.nonEmpty(levels.nodes().members().stream().flatMap(List::stream).toList())) {
                final long bytes = call.blocks().bytes(r);
                plan.copy(ofNode.slice(call.blocks().offset(r), bytes), sorted.slice(order.starts()[r], bytes));
            }
            ofNode = sorted;
        }
        final Call.ReduceScatter amongLeaders = new Call.ReduceScatter(call.reduction(), blocks, false);
        final Task done = plan.nested(levels.leaders(), Operation.REDUCE_SCATTER, amongLeaders, ofNode, result);
        final List<Integer> readers = order.nonEmpty(members.subList(1, members.size()));
        if (!readers.isEmpty()) {
            plan.post(done);
        }
        final BufferRange own = Buffer.RECV.at(0, call.blocks().bytes(rank));
        if (own.bytes() > 0) {
            plan.copy(result.slice(0, own.bytes()), own);
        }
        for (final int reader : readers) {
            plan.await(reader, 0);
        }
    }
}
