package tutti.coll.smp;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Broadcast without messages: every rank copies directly from the root's buffer.
 *
 * <p>Source: R. L. Graham, G. Shipman, MPI support for multi-core architectures: optimized shared memory collectives, EuroPVM/MPI 2008,
 * doi:10.1007/978-3-540-87475-1_21 (there: fan-out, with copies in a shared segment; here ranks read each other's buffers directly).
 * <p>Idea: the root posts that its data is available. All others read it at the same time and report along a tree that they have, so that the root
 * may return. Short data is read from a copy in shared memory instead, and the root returns at once.
 * <pre>
 *   5 ranks, root 1, fan-in 4     1 ⇒ 2 3 4 0 (read);   2 3 4 and 0 → 1 (released)
 * </pre>
 * <p>Cost for p ranks, n bytes, fan-in f, p = 2^k and other alike: p posts, 2(p-1) awaits, p-1 reads of n bytes at the same time; ⌈log_f p⌉ + 1
 * hops from post to await; no messages. Short data: 1 post, p-1 awaits, 1 hop, and one copy of n bytes before.
 * <p>Needs: all ranks on one node; any p, any root, any n.
 * <p>Memory: none.
 */
final class DirectBcast implements AdvancedAlgorithm<Call.Bcast> {
    static final String NAME = "direct";

    private final int radix;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix fan-in of the tree along which the root's buffer is released
     * @param eager bytes up to which data is read from a copy
     */
    DirectBcast(final int radix, final long eager) {
        this.radix = radix;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.Bcast call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final int root = call.root();
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final boolean isShort = call.bytes() <= eager;
        if (plan.rank() == root && isShort) {
            EagerCopy.post(plan, data, EagerCopy.others(plan));
        } else if (plan.rank() == root) {
            plan.post();
            BufferRelease.plan(plan, tree, root, r -> 0);
        } else if (isShort) {
            plan.get(root, Buffer.SHARED.at(0, call.bytes()), data, plan.await(root, 0));
        } else {
            BufferRelease.plan(plan, tree, root, r -> 0, plan.get(root, data, data, plan.await(root, 0)));
        }
    }
}
