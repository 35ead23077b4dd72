package tutti.coll.smp;

import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Alltoall over nodes: what the ranks of a node have for those of another travels in one message, and they copy the blocks that they have for
 * each other straight out of their buffers.
 *
 * <p>Source: as {@link HierarchicalBarrier}; that the ranks of a node share the work is this module's own.
 * <p>Idea: one message for each pair of nodes, each way. The ranks of a node take the other nodes in turn, see {@link NodePairs}: each collects
 * what its node has for those that are its, exchanges that, and all take their blocks out of what it got. Long blocks, and blocks of so many
 * ranks that a message would be longer than {@value #MOST} bytes, are sent by their ranks instead, since copying them twice more would cost more
 * than messages do. In place short blocks are copied first, and long ones swapped in rounds through scratch memory.
 * <pre>
 *   5 ranks, nodes (0 2 4) (1 3), ab: what a has for b
 *     2 4 ⇒ 0, 3 ⇒ 1 (read);  0 [01 03 21 23 41 43] ↔ 1 [10 12 14 30 32 34];  0 ⇒ 2 4, 1 ⇒ 3 (read);  2 ⇔ 4 ⇔ 0 ⇔ 2, 1 ⇔ 3 (read)
 * </pre>
 * <p>Cost for k nodes of q ranks, k-1 ≤ q, blocks of m bytes: k(k-1) messages, 4α + ((q-1)(q+1) + q² + (k-1)q)mβ at most; of long blocks
 * k(k-1)q² messages, (k-1)q(α + mβ) and (q-1)mβ at most, beside it 2α.
 * <p>Needs: two nodes or more; blocks of one size; any placement.
 * <p>Memory: of short blocks twice what arrives in messages, and in place as much as the receive buffer; of long blocks none, in place at most
 * {@value DirectAlltoall#WINDOW} bytes, or one block where that is longer, for those of the node and as much for the others.
 */
final class HierarchicalAlltoall implements Algorithm<Call.Alltoall> {
    /** The longest message that blocks are put together for. */
    static final long MOST = 1 << 22;

    private final NodeGroups nodes;
    private final long pack;
    private final long pairs;

    /** @param pack bytes of blocks that would be put together if that were one more copy; here it is two */
    HierarchicalAlltoall(final NodeGroups nodes, final long pack) {
        this.nodes = nodes;
        this.pack = pack;
        final long largest = nodes.members().stream().mapToInt(List::size).max().orElse(0);
        this.pairs = largest * largest;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.recv().total() == 0) {
            return;
        }
        final long block = call.recv().bytes(0);
        if (2 * block <= pack && block * pairs <= MOST) {
            new PackedAlltoall(call, plan, nodes).plan();
            return;
        }
        if (call.inPlace()) {
            swap(call, plan);
        } else {
            send(call, plan);
        }
        DirectAlltoall.among(nodes.with(plan.rank()), call, plan);
    }

    private void send(final Call.Alltoall call, final Plan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        for (int i = 1; i < size; i++) {
            final int peer = (rank - i + size) % size;
            if (isFar(rank, peer)) {
                plan.recv(call.recv().in(Buffer.RECV, peer), peer);
            }
        }
        for (int i = 1; i < size; i++) {
            final int peer = (rank + i) % size;
            if (isFar(rank, peer)) {
                plan.send(call.send().in(Buffer.SEND, peer), peer);
            }
        }
    }

    private boolean isFar(final int rank, final int peer) {
        return !nodes.nodeOf().get(rank).equals(nodes.nodeOf().get(peer));
    }

    /** In round s, ranks whose sum is s modulo p meet; rounds take turns with a few blocks of scratch memory. */
    private void swap(final Call.Alltoall call, final Plan plan) {
        final int rank = plan.rank();
        final long bytes = call.recv().bytes(0);
        final int slots = Math.clamp(DirectAlltoall.WINDOW / bytes, 1, plan.size() - nodes.with(rank).size());
        final BufferRange scratch = plan.scratch(slots * bytes);
        final int[][] free = new int[slots][0];
        int turn = 0;
        for (int round = 0; round < plan.size(); round++) {
            final int peer = DirectAlltoall.partner(rank, round, plan.size());
            if (isFar(rank, peer)) {
                final BufferRange arriving = scratch.slice(turn * bytes, bytes);
                final BufferRange block = call.recv().in(Buffer.RECV, peer);
                final int received = plan.recv(arriving, peer, free[turn]);
                free[turn] = Dependencies.of(plan.copy(arriving, block, received, plan.send(block, peer)));
                turn = (turn + 1) % slots;
            }
        }
    }
}
