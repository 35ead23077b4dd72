package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.InPlaceExchange;
import tutti.coll.patterns.OwnBlock;
import tutti.coll.patterns.Throttle;

/**
 * Scattered alltoall, alltoallv and alltoallw: every rank sends to every other rank, starting at its right neighbour. The number of sends and the
 * number of receives in progress are limited.
 *
 * <p>Source: the scattered algorithm of MPICH with its throttle (MPIR_CVAR_ALLTOALL_THROTTLE; there in batches).
 * <p>Idea: ranks begin with different peers, so that no rank receives first from all others. With throttle w, a send waits for the send w before, and
 * a receive for the receive w before, but they do not wait for each other. So a rank whose messages are received at once runs ahead. In place a block
 * may only be replaced after it was sent: see {@link InPlaceExchange}. Empty blocks are skipped: sender and receiver both know them.
 * <pre>
 *   4 ranks, rank 1, throttle 2   sends to    2, 3,  then 0 after that to 2
 *                                 receives from 0, 3, then 2 after that from 0
 * </pre>
 * <p>Cost for any p ranks, blocks of n bytes, any throttle: (p-1)(α + nβ); in place at most the larger of p and 1.5(p-1) times α + nβ, with
 * a throttle of 1 at most p(α + nβ); p(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any block sizes and displacements; in place, blocks of a pair of ranks have one size in both directions, as MPI requires.
 * <p>Memory: none; in place the throttle times the size of the largest block.
 */
final class ScatteredAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "scattered";

    private final int throttle;

    /** @param throttle largest number of sends in progress, and of receives */
    ScatteredAlltoall(final int throttle) {
        this.throttle = throttle;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.scattered(call.recv(), plan, throttle, throttle);
            return;
        }
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final Throttle receives = new Throttle(throttle);
        final Throttle sends = new Throttle(throttle);
        for (int t = 1; t < ring.size(); t++) {
            final int to = ring.back(ring.size() - t);
            final int from = ring.back(t);
            final BufferRange outgoing = call.send().in(Buffer.SEND, to);
            final BufferRange incoming = call.recv().in(Buffer.RECV, from);
            if (incoming.bytes() > 0) {
                receives.add(plan.recv(incoming, from, receives.before()));
            }
            if (outgoing.bytes() > 0) {
                sends.add(plan.send(outgoing, to, sends.before()));
            }
        }
        OwnBlock.copy(call, plan);
    }
}
