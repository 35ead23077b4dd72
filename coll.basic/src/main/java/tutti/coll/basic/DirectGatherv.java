package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Gatherv from another group: every rank sends its block to the root.
 *
 * <p>Source: MPICH, algorithm {@code gatherv_allcomm_linear}.
 * <p>Idea: only the root knows all sizes, so no rank can forward blocks of others. The root receives all blocks at once, at their final
 * location. Empty blocks are not sent: sender and root both know that they are empty.
 * <pre>
 *   4 ranks; and 3 ranks, root 1     a → 1,  b → 1,  c → 1,  d → 1
 * </pre>
 * <p>Cost for q ranks in the sending group, n bytes in all blocks together: qα + nβ; a message for each block that is not empty.
 * <p>Needs: nothing; any two groups, any root, any sizes and displacements.
 * <p>Memory: none.
 */
final class DirectGatherv implements Algorithm<Call.Gather> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        if (call.root() == Call.ROOT) {
            final Blocks blocks = Objects.requireNonNull(call.recv(), "the root knows the blocks");
            for (int peer = 0; peer < plan.remoteSize(); peer++) {
                if (blocks.bytes(peer) > 0) {
                    plan.recv(blocks.in(Buffer.RECV, peer), peer);
                }
            }
        } else if (call.root() != Call.PROC_NULL && call.sendBytes() > 0) {
            plan.send(call.input(plan.rank()), call.root());
        }
    }
}
