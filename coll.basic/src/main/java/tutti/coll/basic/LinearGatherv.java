package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear gatherv: every rank sends its block to the root.
 *
 * <p>Source: textbook.
 * <p>Idea: only the root knows the sizes, so no rank can help another. The root is ready for all blocks at once and receives them where they
 * belong. Empty blocks are left out: sender and root agree on them.
 * <pre>
 *   4 ranks, root 1     0 → 1,  2 → 1,  3 → 1
 * </pre>
 * <p>Cost for p ranks, n bytes in the blocks of the others together: (p-1)α + nβ, p = 2^k and other alike; a message for each block that is
 * not empty, but the root's.
 * <p>Needs: nothing; any p, any root, any sizes and places.
 * <p>Memory: none.
 */
final class LinearGatherv implements Algorithm<Call.Gather> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        final int root = call.root();
        if (plan.rank() != root) {
            if (call.sendBytes() > 0) {
                plan.send(call.input(plan.rank()), root);
            }
            return;
        }
        final Blocks blocks = call.recv();
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(i, root, plan.size());
            if (blocks.bytes(peer) > 0) {
                plan.recv(blocks.in(Buffer.RECV, peer), peer);
            }
        }
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
    }
}
