package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Scatterv to another group: the root sends every rank its block.
 *
 * <p>Source: MPICH, algorithm {@code scatterv_allcomm_linear}.
 * <p>Idea: only the root knows all sizes, so no rank can forward blocks of others. Blocks are sent without a copy. Empty blocks are not sent:
 * receiver and root both know that they are empty.
 * <pre>
 *   3 ranks, root 1; and 4 ranks     1 → a,  1 → b,  1 → c,  1 → d
 * </pre>
 * <p>Cost for q ranks in the receiving group, n bytes in all blocks together: qα + nβ; a message for each block that is not empty.
 * <p>Needs: nothing; any two groups, any root, any sizes and displacements.
 * <p>Memory: none.
 */
final class DirectScatterv implements Algorithm<Call.Scatter> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Scatter call, final Plan plan) {
        if (call.root() == Call.ROOT) {
            final Blocks blocks = Objects.requireNonNull(call.send(), "the root knows the blocks");
            for (int peer = 0; peer < plan.remoteSize(); peer++) {
                if (blocks.bytes(peer) > 0) {
                    plan.send(blocks.in(Buffer.SEND, peer), peer);
                }
            }
        } else if (call.root() != Call.PROC_NULL && call.recvBytes() > 0) {
            plan.recv(Buffer.RECV.at(0, call.recvBytes()), call.root());
        }
    }
}
