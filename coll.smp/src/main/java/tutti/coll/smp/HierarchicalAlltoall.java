package tutti.coll.smp;

import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.InPlaceExchange;

/**
 * Alltoall over nodes: one message carries all blocks of one node's ranks for those of another, and the ranks of a node copy the blocks for each
 * other directly from their buffers.
 *
 * <p>Source: as {@link HierarchicalBarrier}. The sharing of the work among the ranks of a node is this module's own.
 * <p>Idea: one message for each pair of nodes, each way. The ranks of a node take the other nodes in turn, see {@link NodePairs}. For each node that
 * it takes, a rank packs the blocks of its node and exchanges the messages. Then all ranks of its node copy their blocks from the message that
 * arrived. Long blocks are sent by their ranks instead, because two more copies cost more than the messages do. So are blocks of so many ranks that a
 * message would be longer than {@value #MAX_MESSAGE} bytes. In place short blocks are copied first, and long blocks are exchanged in rounds through
 * scratch memory.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), ab: the block of a for b
 *     2 4 ⇒ 0, 3 ⇒ 1 (read);  0 [01 03 21 23 41 43] ↔ 1 [10 12 14 30 32 34];  0 ⇒ 2 4, 1 ⇒ 3 (read);  2 ⇔ 4 ⇔ 0 ⇔ 2, 1 ⇔ 3 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, k-1 ≤ q, blocks of m bytes: k(k-1) messages, 4α + ((q-1)(q+1) + q² + (k-1)q)mβ at most; of long blocks
 * k(k-1)q² messages, (k-1)q(α + mβ), and at the same time 2α + (q-1)mβ at most.
 * <p>Needs: two nodes or more; blocks of one size; any placement.
 * <p>Memory: for short blocks twice the bytes that arrive in messages, and in place as much as the receive buffer; for long blocks none, in place at
 * most {@value DirectAlltoall#MAX_SCRATCH} bytes, or one block where that is longer, for the blocks of the node and as much for the others.
 */
final class HierarchicalAlltoall implements AdvancedAlgorithm<Call.Alltoall> {
    /** The longest message in bytes that blocks are packed into. */
    static final long MAX_MESSAGE = 1 << 22;

    private final NodeGroups nodes;
    private final long pack;
    private final long pairs;

    /**
     * @param pack the largest blocks in bytes that are packed into one message where that takes one copy; alltoall takes two, so half of it applies
     */
    HierarchicalAlltoall(final NodeGroups nodes, final long pack) {
        this.nodes = nodes;
        this.pack = pack;
        final long largest = nodes.members().stream().mapToInt(List::size).max().orElse(0);
        this.pairs = largest * largest;
    }

    @Override
    public void plan(final Call.Alltoall call, final AdvancedPlan plan) {
        if (call.recv().total() == 0) {
            return;
        }
        final long block = call.recv().bytes(0);
        if (2 * block <= pack && block * pairs <= MAX_MESSAGE) {
            new PackedAlltoall(call, plan, nodes).plan();
            return;
        }
        if (call.inPlace()) {
            swap(call, plan);
        } else {
            send(call, plan);
        }
        DirectAlltoall.planAmong(nodes.nodeMembers(plan.rank()), call, plan);
    }

    private void send(final Call.Alltoall call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.down(rank, i, size);
            if (isOnOtherNode(rank, peer)) {
                plan.recv(call.recv().in(Buffer.RECV, peer), peer);
            }
        }
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            if (isOnOtherNode(rank, peer)) {
                plan.send(call.send().in(Buffer.SEND, peer), peer);
            }
        }
    }

    private boolean isOnOtherNode(final int rank, final int peer) {
        return !nodes.nodeOf().get(rank).equals(nodes.nodeOf().get(peer));
    }

    /**
     * Plans the exchange of long blocks in place. In round s, ranks exchange whose sum is s modulo p. The rounds take turns with a few blocks of
     * scratch memory.
     */
    private void swap(final Call.Alltoall call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int slots = Math.clamp(DirectAlltoall.MAX_SCRATCH / call.recv().bytes(0), 1, plan.size());
        InPlaceExchange.scattered(call.recv(), plan, slots, plan.size(), peer -> isOnOtherNode(rank, peer));
    }
}
