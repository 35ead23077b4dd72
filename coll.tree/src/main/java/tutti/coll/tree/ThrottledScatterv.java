package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Throttled scatterv along a star: the root sends to a few ranks at a time.
 *
 * <p>Source: linear scatter.
 * <p>Idea: {@link ThrottledGatherv} in reverse; the throttle limits the transfers that share the root's link.
 * <pre>
 *   5 ranks, root 1, throttle 2   1 → 2 and 1 → 3;   when 2 is complete 1 → 4;   when 3 is complete 1 → 0
 * </pre>
 * <p>Cost for any p ranks, n bytes in the blocks of the other ranks together: (p-1)α + nβ; one message for each block that is not empty, except the
 * root's.
 * <p>Needs: nothing; any p, any root, any block sizes and displacements.
 * <p>Memory: none.
 */
final class ThrottledScatterv implements Algorithm<Call.Scatter> {
    static final String NAME = "throttled";

    private final int throttle;

    /** @param throttle largest number of blocks that the root sends at once */
    ThrottledScatterv(final int throttle) {
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
        final Blocks blocks = call.send();
        final BufferRange own = blocks.in(Buffer.SEND, root);
        if (!call.inPlace() && own.bytes() > 0) {
            plan.copy(own, Buffer.RECV.at(0, own.bytes()));
        }
        final Throttle transfers = new Throttle(throttle);
        for (final int peer : Throttle.others(root, plan.size())) {
            if (blocks.bytes(peer) > 0) {
                transfers.add(plan.send(blocks.in(Buffer.SEND, peer), peer, transfers.after()));
            }
        }
    }
}
