package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Allgather and allgatherv without messages in one round: every rank copies every block directly from its rank's buffer.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: each rank posts that its block is available, reads all others, posts that it has, and returns when all others have. It starts with its
 * right neighbour, so that the ranks do not all read the same rank at once. Empty blocks are skipped, since every rank knows which blocks are empty.
 * Short blocks are read from copies in shared memory, and their ranks do not wait for the others.
 * <pre>
 *   4 ranks, read by rank 1     2, 3, 0
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, p-1 reads of m bytes on each rank, all ranks at the same
 * time; 2 hops from post to await; no messages. Short blocks: p posts, p(p-1) awaits, 1 hop, and one copy of m bytes before.
 * <p>Needs: all ranks on one node; any p, any block sizes and offsets.
 * <p>Memory: none.
 */
final class DirectAllgather implements AdvancedAlgorithm<Call.Allgather> {
    static final String NAME = "direct";

    private final long eager;

    /** @param eager bytes up to which a block is read from a copy */
    DirectAllgather(final long eager) {
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Allgather call, final AdvancedPlan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        final Blocks blocks = call.recv();
        final boolean isRead = blocks.bytes(rank) > 0;
        if (isShort(blocks, rank)) {
            EagerCopy.post(plan, call.input(rank), EagerCopy.others(plan));
        } else if (isRead) {
            plan.post();
        }
        final List<Task> read = new ArrayList<>();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            final BufferRange block = blocks.in(Buffer.RECV, peer);
            if (isShort(blocks, peer)) {
                plan.get(peer, Buffer.SHARED.at(0, block.bytes()), block, plan.await(peer, 0));
            } else if (block.bytes() > 0) {
                read.add(plan.get(peer, input(call, peer), block, plan.await(peer, 0)));
            }
        }
        if (isRead && !call.inPlace()) {
            plan.copy(call.input(rank), blocks.in(Buffer.RECV, rank));
        }
        if (!read.isEmpty()) {
            plan.post(read);
        }
        for (int i = 1; isRead && !isShort(blocks, rank) && i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            plan.await(peer, blocks.bytes(peer) > 0 ? 1 : 0);
        }
    }

    private boolean isShort(final Blocks blocks, final int rank) {
        return blocks.bytes(rank) > 0 && blocks.bytes(rank) <= eager;
    }

    /** Returns the range from which the block of a rank is read. */
    static BufferRange input(final Call.Allgather call, final int rank) {
        return call.inPlace() ? call.recv().in(Buffer.RECV, rank) : Buffer.SEND.at(0, call.recv().bytes(rank));
    }
}
