package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear scatterv: the root sends every rank its block.
 *
 * <p>Source: MPICH, algorithm {@code scatterv_allcomm_linear}.
 * <p>Idea: only the root knows all sizes, so no rank can forward blocks of others. Blocks are sent without a copy. Empty blocks are not sent:
 * receiver and root both know that they are empty.
 * <pre>
 *   4 ranks, root 1     1 → 2,  1 → 3,  1 → 0
 * </pre>
 * <p>Cost for p ranks, n bytes in the blocks of the others together: (p-1)α + nβ, p = 2^k and other p alike; a message for each block that is
 * not empty, except the root's.
 * <p>Needs: nothing; any p, any root, any sizes and displacements.
 * <p>Memory: none.
 */
final class LinearScatterv implements Algorithm<Call.Scatter> {
    static final String NAME = "linear";

    @Override
    public void plan(final Call.Scatter call, final Plan plan) {
        final int root = call.root();
        if (plan.rank() != root) {
            if (call.recvBytes() > 0) {
                plan.recv(Buffer.RECV.at(0, call.recvBytes()), root);
            }
            return;
        }
        final Blocks blocks = call.send();
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(i, root, plan.size());
            if (blocks.bytes(peer) > 0) {
                plan.send(blocks.in(Buffer.SEND, peer), peer);
            }
        }
        final BufferRange own = blocks.in(Buffer.SEND, root);
        if (!call.inPlace() && own.bytes() > 0) {
            plan.copy(own, Buffer.RECV.at(0, own.bytes()));
        }
    }
}
