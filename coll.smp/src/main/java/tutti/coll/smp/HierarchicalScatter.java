package tutti.coll.smp;

import java.util.List;
import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Scatter over nodes: the ranks of the root's node copy their blocks from its memory, and each other node receives its blocks in one message to its
 * leader.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one message per node. Long blocks are sent to their ranks instead, because unpacking them costs more than the messages do. Where a node's
 * blocks are not contiguous at the root, it packs them first. Scatterv is not offered: only the root knows all sizes.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     2 ⇒ 0 4 (read);  2 → 1 [1 3];  1 ⇒ 3 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: (k-1)(α + qmβ), and then q-1 reads of m bytes at the same time; of long blocks (k-1)q(α +
 * mβ).
 * <p>Needs: two nodes or more; blocks of one size; any placement, any root.
 * <p>Memory: on leaders the blocks of their node; at the root those of nodes whose blocks are not contiguous; none for long blocks.
 */
final class HierarchicalScatter implements AdvancedAlgorithm<Call.Scatter> {
    private final NodeGroups nodes;
    private final long pack;

    /** @param pack the largest blocks in bytes that are packed into one message */
    HierarchicalScatter(final NodeGroups nodes, final long pack) {
        this.nodes = nodes;
        this.pack = pack;
    }

    @Override
    public void plan(final Call.Scatter call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int root = call.root();
        final Blocks blocks = Objects.requireNonNull(call.send(), "every rank of a scatter knows the blocks");
        if (blocks.total() == 0) {
            return;
        }
        final List<Integer> members = nodes.nodeMembers(rank);
        final BufferRange own = Buffer.RECV.at(0, call.inPlace() ? 0 : call.recvBytes());
        if (rank == root) {
            distribute(call, blocks, plan);
        } else if (members.contains(root)) {
            plan.post(plan.get(root, blocks.in(Buffer.SEND, rank), own, plan.await(root, 0)));
        } else if (call.recvBytes() > pack || members.size() == 1) {
            plan.recv(own, root);
        } else if (nodes.leads(rank)) {
            final BufferRange packed = plan.scratch(members.size() * call.recvBytes());
            plan.post(plan.recv(packed, root));
            plan.copy(packed.slice(0, call.recvBytes()), own);
            for (final int member : members.subList(1, members.size())) {
                plan.await(member, 0);
            }
        } else {
            final BufferRange block = Buffer.SCRATCH.at(members.indexOf(rank) * call.recvBytes(), call.recvBytes());
            plan.post(plan.get(members.getFirst(), block, own, plan.await(members.getFirst(), 0)));
        }
    }

    private void distribute(final Call.Scatter call, final Blocks blocks, final AdvancedPlan plan) {
        final int root = plan.rank();
        final List<Integer> onNode = nodes.nodeMembers(root);
        if (onNode.size() > 1) {
            plan.post();
        }
        for (final List<Integer> members : nodes.members()) {
            if (!members.contains(root)) {
                send(blocks, plan, members);
            }
        }
        if (!call.inPlace()) {
            plan.copy(blocks.in(Buffer.SEND, root), Buffer.RECV.at(0, call.recvBytes()));
        }
        for (final int member : onNode) {
            if (member != root) {
                plan.await(member, 0);
            }
        }
    }

    private void send(final Blocks blocks, final AdvancedPlan plan, final List<Integer> members) {
        final long bytes = blocks.bytes(0);
        if (bytes > pack) {
            for (final int member : members) {
                plan.send(blocks.in(Buffer.SEND, member), member);
            }
        } else if (NodeGroups.areNeighbours(members)) {
            plan.send(Buffer.SEND.at(blocks.offset(members.getFirst()), members.size() * bytes), members.getFirst());
        } else {
            final BufferRange packed = plan.scratch(members.size() * bytes);
            for (int i = 0; i < members.size(); i++) {
                plan.copy(blocks.in(Buffer.SEND, members.get(i)), packed.slice(i * bytes, bytes));
            }
            plan.send(packed, members.getFirst());
        }
    }
}
