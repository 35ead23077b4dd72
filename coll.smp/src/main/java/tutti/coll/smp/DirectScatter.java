package tutti.coll.smp;

import java.util.Objects;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Scatter without messages: every rank copies its block directly from the root's buffer.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: all blocks have one size, so every rank knows the offset of its own. The root posts that its data is available. All others read it at the
 * same time and report along a tree that they have. Short data, all blocks together, is read from a copy in shared memory without a report.
 * <pre>
 *   5 ranks, root 1, fan-in 4     1 ⇒ 2 3 4 0 (each its block);   2 3 4 and 0 → 1 (released)
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, fan-in f, p = 2^k and other alike: p posts, 2(p-1) awaits, p-1 reads of m bytes at the same time; ⌈log_f
 * p⌉ + 1 hops from post to await; no messages. Short data: 1 post, p-1 awaits, 1 hop, and one copy of pm bytes before.
 * <p>Needs: all ranks on one node; blocks of one size; any p, any root. Scatterv is not offered: only the root knows the offsets of the blocks.
 * <p>Memory: none.
 */
final class DirectScatter implements AdvancedAlgorithm<Call.Scatter> {
    static final String NAME = "direct";

    private final int radix;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix fan-in of the tree along which the root's buffer is released
     * @param eager bytes up to which data is read from a copy
     */
    DirectScatter(final int radix, final long eager) {
        this.radix = radix;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Scatter call, final AdvancedPlan plan) {
        final Blocks blocks = Objects.requireNonNull(call.send(), "every rank of a scatter knows the blocks");
        if (blocks.total() == 0) {
            return;
        }
        final int root = call.root();
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final BufferRange own = blocks.in(Buffer.SEND, plan.rank());
        final BufferRange into = Buffer.RECV.at(0, call.recvBytes());
        final boolean isShort = blocks.total() <= eager;
        if (plan.rank() == root) {
            if (isShort) {
                EagerCopy.post(plan, Buffer.SEND.at(0, blocks.total()), EagerCopy.others(plan));
            } else {
                plan.post();
            }
            if (!call.inPlace()) {
                plan.copy(own, into);
            }
            if (!isShort) {
                BufferRelease.plan(plan, tree, root, r -> 0);
            }
        } else if (isShort) {
            plan.get(root, blocks.in(Buffer.SHARED, plan.rank()), into, plan.await(root, 0));
        } else {
            BufferRelease.plan(plan, tree, root, r -> 0, plan.get(root, own, into, plan.await(root, 0)));
        }
    }
}
