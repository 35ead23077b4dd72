package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Gatherv over nodes: the root copies the blocks of its node from its ranks' memories, and all other ranks send theirs.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: only the root knows all sizes, so the blocks of another node cannot be packed. But a rank's block starts at offset 0 of its send buffer,
 * so the root can read the blocks of its own node directly. Ranks with empty blocks take no part, which they and the root know.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     0 4 ⇒ 2 (read);  1 → 2, 3 → 2
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: (k-1)q(α + mβ), and q-1 reads of m bytes.
 * <p>Needs: two nodes or more; any placement, any root, any block sizes and offsets.
 * <p>Memory: none.
 */
final class HierarchicalGatherv implements AdvancedAlgorithm<Call.Gather> {
    private final NodeGroups nodes;

    HierarchicalGatherv(final NodeGroups nodes) {
        this.nodes = nodes;
    }

    @Override
    public void plan(final Call.Gather call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        if (rank == call.root()) {
            collect(call, plan);
        } else if (call.sendBytes() > 0 && nodes.nodeMembers(rank).contains(call.root())) {
            plan.post();
            plan.await(call.root(), 0);
        } else if (call.sendBytes() > 0) {
            plan.send(call.input(rank), call.root());
        }
    }

    private void collect(final Call.Gather call, final AdvancedPlan plan) {
        final int root = plan.rank();
        final Blocks blocks = Objects.requireNonNull(call.recv(), "the root knows the blocks");
        final List<Integer> onNode = nodes.nodeMembers(root);
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(root, i, plan.size());
            if (blocks.bytes(peer) > 0 && !onNode.contains(peer)) {
                plan.recv(blocks.in(Buffer.RECV, peer), peer);
            }
        }
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
        final List<Task> read = new ArrayList<>();
        for (final int peer : onNode) {
            if (blocks.bytes(peer) > 0 && peer != root) {
                read.add(plan.get(peer, Buffer.SEND.at(0, blocks.bytes(peer)), blocks.in(Buffer.RECV, peer), plan.await(peer, 0)));
            }
        }
        if (!read.isEmpty()) {
            plan.post(read);
        }
    }
}
