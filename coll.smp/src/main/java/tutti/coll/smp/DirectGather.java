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
import tutti.coll.patterns.CyclicRanks;

/**
 * Gather and gatherv without messages: the root copies every block directly from its rank's buffer.
 *
 * <p>Source: as {@link DirectBcast} (there: fan-in).
 * <p>Idea: a rank's block starts at offset 0 of its send buffer, so the root knows its location. Each rank posts that its block is available, and
 * returns when the root has posted that it has read all blocks. Ranks with empty blocks take no part, which they and the root know. Short blocks are
 * read from copies in shared memory, and their ranks return at once.
 * <pre>
 *   4 ranks, root 1     2 3 0 ⇒ 1 (read);   1 → 2 3 0 (released)
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: p posts, 2(p-1) awaits, p-1 reads of m bytes one after the other; 2 hops from post
 * to await; no messages. Short blocks: p-1 posts and awaits, 1 hop, and one copy of m bytes before.
 * <p>Needs: all ranks on one node; any p, any root, any block sizes and offsets.
 * <p>Memory: none.
 */
final class DirectGather implements AdvancedAlgorithm<Call.Gather> {
    static final String NAME = "direct";

    private final long eager;

    /** @param eager bytes up to which a block is read from a copy */
    DirectGather(final long eager) {
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Gather call, final AdvancedPlan plan) {
        if (plan.rank() == call.root()) {
            collect(call, plan);
        } else if (isShort(call.sendBytes())) {
            EagerCopy.post(plan, Buffer.SEND.at(0, call.sendBytes()), call.root());
        } else if (call.sendBytes() > 0) {
            plan.post();
            plan.await(call.root(), 0);
        }
    }

    private boolean isShort(final long bytes) {
        return bytes > 0 && bytes <= eager;
    }

    private void collect(final Call.Gather call, final AdvancedPlan plan) {
        final int root = plan.rank();
        final Blocks blocks = Objects.requireNonNull(call.recv(), "the root knows the blocks");
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
        final List<Task> read = new ArrayList<>();
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(root, i, plan.size());
            final BufferRange block = blocks.in(Buffer.RECV, peer);
            if (isShort(block.bytes())) {
                plan.get(peer, Buffer.SHARED.at(0, block.bytes()), block, plan.await(peer, 0));
            } else if (block.bytes() > 0) {
                read.add(plan.get(peer, Buffer.SEND.at(0, block.bytes()), block, plan.await(peer, 0)));
            }
        }
        if (!read.isEmpty()) {
            plan.post(read);
        }
    }
}
