package tutti.coll.patterns;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear gatherv: every rank sends its block to the root, which receives from a few ranks at a time.
 *
 * <p>Source: MPICH, algorithm {@code gatherv_allcomm_linear}; the throttle limits incast: many senders to one receiver at once, which is slow.
 * <p>Idea: only the root knows the sizes, and a plan contains all sizes, so no rank can collect for others. The root receives from the ranks in turn,
 * from the one after it on, each block at its final location. With throttle w, a receive starts when the receive w before is complete. Empty blocks
 * are skipped: sender and root both know them.
 * <pre>
 *   5 ranks, root 1, throttle 2   2 → 1 and 3 → 1;   when 2 is complete 4 → 1;   when 3 is complete 0 → 1
 * </pre>
 * <p>Cost for any p ranks, n bytes in the blocks of the other ranks together: (p-1)α + nβ; one message for each block that is not empty, except the
 * root's.
 * <p>Needs: nothing; any p, any root, any block sizes and displacements.
 * <p>Memory: none.
 */
public final class LinearGatherv implements Algorithm<Call.Gather> {
    private final int throttle;

    /** Does not limit how many blocks the root receives. */
    public LinearGatherv() {
        this(Integer.MAX_VALUE);
    }

    /** @param throttle largest number of blocks that the root receives at once */
    public LinearGatherv(final int throttle) {
        this.throttle = throttle;
    }

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        final int root = call.root();
        if (plan.rank() != root) {
            if (call.sendBytes() > 0) {
                plan.send(call.input(plan.rank()), root);
            }
            return;
        }
        final Blocks blocks = Objects.requireNonNull(call.recv(), "the root knows the blocks");
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            plan.copy(call.input(root), blocks.in(Buffer.RECV, root));
        }
        final Throttle receives = new Throttle(throttle);
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(root, i, plan.size());
            if (blocks.bytes(peer) > 0) {
                receives.add(plan.recv(blocks.in(Buffer.RECV, peer), peer, receives.before()));
            }
        }
    }
}
