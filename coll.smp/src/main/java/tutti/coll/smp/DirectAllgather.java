package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Allgather and allgatherv without messages in one step: every rank copies every block straight out of its rank's buffer.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: each rank posts that its block is there, reads all others, posts that it has, and leaves when all others have. It begins with its
 * right neighbour's, so that no rank is read by all at once. Empty blocks are left out: every rank knows which they are.
 * <pre>
 *   4 ranks, read by rank 1     2, 3, 0
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, p-1 reads of m bytes on each rank, all ranks at the
 * same time; 2 hops from post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any sizes and places.
 * <p>Memory: none.
 */
final class DirectAllgather implements Algorithm<Call.Allgather> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Allgather call, final Plan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        final Blocks blocks = call.recv();
        final boolean isRead = blocks.bytes(rank) > 0;
        if (isRead) {
            plan.post();
        }
        final Dependencies read = new Dependencies();
        for (int i = 1; i < size; i++) {
            final int peer = (rank + i) % size;
            if (blocks.bytes(peer) > 0) {
                read.add(plan.get(peer, input(call, peer), blocks.in(Buffer.RECV, peer), plan.await(peer, 0)));
            }
        }
        if (isRead && !call.inPlace()) {
            plan.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
        final int[] all = read.all();
        if (all.length > 0) {
            plan.post(all);
        }
        for (int i = 1; isRead && i < size; i++) {
            final int peer = (rank + i) % size;
            plan.await(peer, blocks.bytes(peer) > 0 ? 1 : 0);
        }
    }

    /** Where the block of a rank is read. */
    static BufferRange input(final Call.Allgather call, final int rank) {
        return call.inPlace() ? call.recv().in(Buffer.RECV, rank) : Buffer.SEND.at(0, call.recv().bytes(rank));
    }
}
