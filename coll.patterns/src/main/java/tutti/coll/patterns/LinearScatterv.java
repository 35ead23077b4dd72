package tutti.coll.patterns;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Linear scatterv: the root sends every rank its block, to a few ranks at a time.
 *
 * <p>Source: MPICH, algorithm {@code scatterv_allcomm_linear}.
 * <p>Idea: {@link LinearGatherv} in reverse; the throttle limits the transfers that share the root's link.
 * <pre>
 *   5 ranks, root 1, throttle 2   1 → 2 and 1 → 3;   when 2 is complete 1 → 4;   when 3 is complete 1 → 0
 * </pre>
 * <p>Cost for any p ranks, n bytes in the blocks of the other ranks together: (p-1)α + nβ; one message for each block that is not empty, except the
 * root's.
 * <p>Needs: nothing; any p, any root, any block sizes and displacements.
 * <p>Memory: none.
 */
public final class LinearScatterv implements Algorithm<Call.Scatter> {
    private final int throttle;

    /** Does not limit how many blocks the root sends. */
    public LinearScatterv() {
        this(Integer.MAX_VALUE);
    }

    /** @param throttle largest number of blocks that the root sends at once */
    public LinearScatterv(final int throttle) {
        this.throttle = throttle;
    }

    @Override
    public void plan(final Call.Scatter call, final Plan plan) {
        final int root = call.root();
        if (plan.rank() != root) {
            if (call.recvBytes() > 0) {
                plan.recv(Buffer.RECV.at(0, call.recvBytes()), root);
            }
            return;
        }
        final Blocks blocks = Objects.requireNonNull(call.send(), "the root knows the blocks");
        if (!call.inPlace() && blocks.bytes(root) > 0) {
            final BufferRange own = blocks.in(Buffer.SEND, root);
            plan.copy(own, Buffer.RECV.at(0, own.bytes()));
        }
        final Throttle sends = new Throttle(throttle);
        for (int i = 1; i < plan.size(); i++) {
            final int peer = CyclicRanks.up(root, i, plan.size());
            if (blocks.bytes(peer) > 0) {
                sends.add(plan.send(blocks.in(Buffer.SEND, peer), peer, sends.before()));
            }
        }
    }
}
