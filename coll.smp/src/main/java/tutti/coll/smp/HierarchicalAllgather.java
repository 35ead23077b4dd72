package tutti.coll.smp;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;

/**
 * Allgather and allgatherv over nodes: each leader collects the blocks of its node, the leaders have an allgatherv of their own, and all others
 * copy the blocks out of their leader's memory.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one message carries what a node has. Where blocks do not lie node by node in the receive buffer, leaders keep them in scratch memory
 * in that order, and each rank copies each block to its place. The leaders' part is a collective of a sub-communicator: whatever module serves
 * it. Cut into pieces, so that ranks read one while the next one travels, it took half as long again where leaders and readers share cores.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3)     2 4 ⇒ 0, 3 ⇒ 1;  0 [0 2 4] ↔ 1 [1 3];  0 ⇒ 2 4, 1 ⇒ 3 (all blocks)
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: the leaders' allgatherv of blocks of qm bytes among k ranks; before it q-1 reads of m
 * bytes, after it q-1 reads of kqm bytes at the same time.
 * <p>Needs: two nodes or more; any placement, any sizes and places.
 * <p>Memory: none where blocks lie node by node, else all blocks on the leaders.
 */
final class HierarchicalAllgather implements Algorithm<Call.Allgather> {
    private final HierarchyLevels levels;

    HierarchicalAllgather(final HierarchyLevels levels) {
        this.levels = levels;
    }

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final NodeBlockOrder packing = NodeBlockOrder.of(levels.nodes(), call.recv());
        if (packing.ofNodes().total() == 0) {
            return;
        }
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().with(rank);
        final Buffer area = packing.isTrivial() ? Buffer.RECV : Buffer.SCRATCH;
        if (levels.nodes().leads(rank)) {
            lead(call, plan, packing, area);
            return;
        }
        final boolean isRead = call.recv().bytes(rank) > 0;
        if (isRead) {
            plan.post();
        }
        final int there = plan.await(members.getFirst(), 0);
        final Dependencies read = new Dependencies();
        if (area == Buffer.RECV) {
            final BufferRange all = Buffer.RECV.at(0, packing.ofNodes().total());
            read.add(plan.get(members.getFirst(), all, all, there));
        } else {
            for (final int peer : others(call, plan, packing)) {
                read.add(plan.get(members.getFirst(), packing.in(area, peer), call.recv().in(Buffer.RECV, peer), there));
            }
        }
        plan.post(read.all());
    }

    /** The ranks whose blocks a rank must put to their places; its own is there in place. */
    private static List<Integer> others(final Call.Allgather call, final Plan plan, final NodeBlockOrder packing) {
        return packing.filled(IntStream.range(0, plan.size()).filter(r -> r != plan.rank() || !call.inPlace()).boxed().toList());
    }

    private void lead(final Call.Allgather call, final Plan plan, final NodeBlockOrder packing, final Buffer area) {
        final Blocks blocks = packing.ofNodes();
        final int rank = plan.rank();
        final List<Integer> members = levels.nodes().with(rank);
        final BufferRange all = area == Buffer.RECV ? Buffer.RECV.at(0, blocks.total()) : plan.scratch(blocks.total());
        final Dependencies here = new Dependencies();
        for (final int member : packing.filled(members)) {
            final BufferRange block = packing.in(area, member);
            if (member != rank) {
                here.add(plan.get(member, DirectAllgather.input(call, member), block, plan.await(member, 0)));
            } else if (!call.input(rank).equals(block)) {
                here.add(plan.copy(call.input(rank), block));
            }
        }
        final long own = blocks.bytes(levels.nodes().nodeOf().get(rank));
        final int done = plan.nested(levels.leaders(), Operation.ALLGATHERV, new Call.Allgather(own, blocks, true), null, all, here.all());
        if (members.size() > 1) {
            plan.post(done);
        }
        if (area == Buffer.SCRATCH) {
            for (final int peer : others(call, plan, packing)) {
                plan.copy(packing.in(area, peer), call.recv().in(Buffer.RECV, peer), done);
            }
        }
        for (final int member : members.subList(1, members.size())) {
            plan.await(member, call.recv().bytes(member) > 0 ? 1 : 0);
        }
    }
}
