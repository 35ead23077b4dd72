package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Gather over nodes: the root copies the blocks of its node from its ranks' memories, and receives those of another node in one message of its
 * leader.
 *
 * <p>Source: as {@link HierarchicalBarrier}.
 * <p>Idea: one message per node. Long blocks are sent by their ranks instead, because packing them costs more than the messages do. Where a node's
 * blocks are not contiguous at the root, it receives them in scratch memory.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), root 2     0 4 ⇒ 2 (read);  3 ⇒ 1 (read);  1 → 2 [1 3]
 * </pre>
 * <p>Cost for k nodes of q ranks, blocks of m bytes: (k-1)(α + qmβ) after q-1 reads of m bytes within a node; of long blocks (k-1)q(α + mβ).
 * <p>Needs: two nodes or more; blocks of one size; any placement, any root.
 * <p>Memory: on leaders the blocks of their node; at the root those of nodes whose blocks are not contiguous; none for long blocks.
 */
final class HierarchicalGather implements AdvancedAlgorithm<Call.Gather> {
    private final NodeGroups nodes;
    private final long pack;

    /** @param pack the largest blocks in bytes that are packed into one message */
    HierarchicalGather(final NodeGroups nodes, final long pack) {
        this.nodes = nodes;
        this.pack = pack;
    }

    @Override
    public void plan(final Call.Gather call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int root = call.root();
        final Blocks blocks = Objects.requireNonNull(call.recv(), "every rank of a gather knows the blocks");
        if (blocks.total() == 0) {
            return;
        }
        final List<Integer> members = nodes.nodeMembers(rank);
        if (rank == root) {
            collect(call, blocks, plan);
        } else if (members.contains(root)) {
            plan.post();
            plan.await(root, 0);
        } else if (call.sendBytes() > pack || members.size() == 1) {
            plan.send(call.input(rank), root);
        } else if (nodes.leads(rank)) {
            final BufferRange packed = plan.scratch(members.size() * call.sendBytes());
            plan.copy(call.input(rank), packed.slice(0, call.sendBytes()));
            final List<Task> read = new ArrayList<>();
            for (int i = 1; i < members.size(); i++) {
                read.add(plan.get(members.get(i), Buffer.SEND.at(0, call.sendBytes()), packed.slice(i * call.sendBytes(), call.sendBytes()),
                    plan.await(members.get(i), 0)));
            }
            plan.post(read);
            plan.send(packed, root);
        } else {
            plan.post();
            plan.await(members.getFirst(), 0);
        }
    }

    private void collect(final Call.Gather call, final Blocks blocks, final AdvancedPlan plan) {
        final int root = plan.rank();
        for (final List<Integer> members : nodes.members()) {
            if (!members.contains(root)) {
                receive(blocks, plan, members);
            }
        }
        if (!call.inPlace()) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
        final List<Task> read = new ArrayList<>();
        for (final int member : nodes.nodeMembers(root)) {
            if (member != root) {
                final BufferRange block = blocks.in(Buffer.RECV, member);
                read.add(plan.get(member, Buffer.SEND.at(0, block.bytes()), block, plan.await(member, 0)));
            }
        }
        if (nodes.nodeMembers(root).size() > 1) {
            plan.post(read);
        }
    }

    private void receive(final Blocks blocks, final AdvancedPlan plan, final List<Integer> members) {
        final long bytes = blocks.bytes(0);
        if (bytes > pack) {
            for (final int member : members) {
                plan.recv(blocks.in(Buffer.RECV, member), member);
            }
        } else if (NodeGroups.areNeighbours(members)) {
            plan.recv(Buffer.RECV.at(blocks.offset(members.getFirst()), members.size() * bytes), members.getFirst());
        } else {
            final BufferRange received = plan.scratch(members.size() * bytes);
            plan.recv(received, members.getFirst());
            for (int i = 0; i < members.size(); i++) {
                plan.copy(received.slice(i * bytes, bytes), blocks.in(Buffer.RECV, members.get(i)));
            }
        }
    }
}
