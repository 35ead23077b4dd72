package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Allgather and allgatherv over nodes: each leader collects the blocks of its node, the leaders run an allgather or allgatherv among themselves, and
 * all others copy the blocks from their leader's memory.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one message carries all blocks of a node. The leaders run an allgather if all nodes have as many bytes. Where blocks are not in the
 * order of nodes in the receive buffer, leaders keep them in that order in scratch memory, and each rank copies each block to its location. The
 * leaders' phase is a collective on a sub-communicator and runs the algorithm selected there. The blocks are not cut into segments: reading one
 * segment while the next arrives took half as long again where leaders and readers share cores.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     2 4 ⇒ 0, 3 ⇒ 1;  0 [0 2 4] ↔ 1 [1 3];  0 ⇒ 2 4, 1 ⇒ 3 (all blocks)
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: the leaders' allgatherv of blocks of qm bytes among k ranks; before it q-1 reads of m bytes,
 * after it q-1 reads of kqm bytes at the same time.
 * <p>Needs: two nodes or more; any placement, any block sizes and offsets.
 * <p>Memory: none where blocks are in the order of nodes, otherwise all blocks on the leaders.
 */
final class HierarchicalAllgather implements AdvancedAlgorithm<Call.Allgather> {
    private final HierarchyLevels levels;

    HierarchicalAllgather(final HierarchyLevels levels) {
        this.levels = levels;
    }

    @Override
    public void plan(final Call.Allgather call, final AdvancedPlan plan) {
        final NodeBlockOrder order = NodeBlockOrder.of(levels.nodes(), call.recv());
        if (order.nodeBlocks().total() == 0) {
            return;
        }
        final int rank = plan.rank();
        final int leader = levels.nodes().nodeMembers(rank).getFirst();
        final Buffer area = order.isTrivial() ? Buffer.RECV : Buffer.SCRATCH;
        if (rank == leader) {
            lead(call, plan, order, area);
            return;
        }
        if (call.recv().bytes(rank) > 0) {
            plan.post();
        }
        final Task available = plan.await(leader, 0);
        final List<Task> read = new ArrayList<>();
        if (area == Buffer.RECV) {
            final BufferRange all = Buffer.RECV.at(0, order.nodeBlocks().total());
            read.add(plan.get(leader, all, all, available));
        } else {
            for (final int peer : others(call, plan, order)) {
                read.add(plan.get(leader, order.in(area, peer), call.recv().in(Buffer.RECV, peer), available));
            }
        }
        plan.post(read);
    }

    /** Returns the ranks whose blocks a rank must copy to their locations. In place the rank's own block is there already. */
    private static List<Integer> others(final Call.Allgather call, final Plan plan, final NodeBlockOrder order) {
        return order.nonEmpty(IntStream.range(0, plan.size()).filter(r -> r != plan.rank() || !call.inPlace()).boxed().toList());
    }

    private static boolean areEqual(final Blocks blocks) {
        return IntStream.range(1, blocks.count()).allMatch(i -> blocks.bytes(i) == blocks.bytes(0));
    }

    private void lead(final Call.Allgather call, final AdvancedPlan plan, final NodeBlockOrder order, final Buffer area) {
        final Blocks blocks = order.nodeBlocks();
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().nodeMembers(rank);
        final BufferRange all = area == Buffer.RECV ? Buffer.RECV.at(0, blocks.total()) : plan.scratch(blocks.total());
        for (final int member : order.nonEmpty(members)) {
            final BufferRange block = order.in(area, member);
            if (member != rank) {
                plan.get(member, DirectAllgather.input(call, member), block, plan.await(member, 0));
            } else if (!call.input(rank).equals(block)) {
                plan.copy(call.input(rank), block);
            }
        }
        final long own = blocks.bytes(levels.nodes().nodeOf().get(rank));
        // where all ranks know the length of a block, rules may depend on it
        final Operation<Call.Allgather> operation = areEqual(blocks) ? Operation.ALLGATHER : Operation.ALLGATHERV;
        final Task done = plan.nested(levels.leaders(), operation, new Call.Allgather(own, blocks, true), null, all);
        if (members.size() > 1) {
            plan.post(done);
        }
        if (area == Buffer.SCRATCH) {
            for (final int peer : others(call, plan, order)) {
                plan.copy(order.in(area, peer), call.recv().in(Buffer.RECV, peer));
            }
        }
        for (final int member : members.subList(1, members.size())) {
            plan.await(member, call.recv().bytes(member) > 0 ? 1 : 0);
        }
    }
}
