package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear gatherv: every rank sends its block to the root.
 *
 * <p>Source: MPICH, algorithm {@code gatherv_allcomm_linear}.
 * <p>Idea: only the root knows all sizes, so no rank can forward blocks of others. The root receives all blocks at once, at their final
 * location. Empty blocks are not sent: sender and root both know that they are empty.
 * <pre>
 *   4 ranks, root 1     0 → 1,  2 → 1,  3 → 1
 * </pre>
 * <p>Cost for p ranks, n bytes in the blocks of the others together: (p-1)α + nβ, p = 2^k and other p alike; a message for each block that is
 * not empty, except the root's.
 * <p>Needs: nothing; any p, any root, any sizes and displacements.
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
