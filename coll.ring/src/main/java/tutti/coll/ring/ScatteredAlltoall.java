package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Scattered alltoall, alltoallv and alltoallw: every rank sends to every rank, from its right neighbour on, and only a few sends and a few
 * receives are under way.
 *
 * <p>Source: textbook; with batches of messages as in the scattered algorithms of MPICH.
 * <p>Idea: ranks begin with different peers, so that no rank is everyone's first. A send waits for the send w before, w being the window, and a
 * receive for the receive w before, but neither for the other: a rank whose messages are taken at once goes ahead. In place a block may only be
 * replaced after it was sent: see {@link InPlaceExchange}. Empty blocks are left out: sender and receiver agree on them.
 * <pre>
 *   4 ranks, rank 1, window 2     sends to    2, 3,  then 0 after that to 2
 *                                 receives from 0, 3, then 2 after that from 0
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes, any window: (p-1)(α + nβ), p = 2^k and other alike; in place at most 1.5(p-1)(α + nβ), with a window of
 * 1 p(α + nβ); p(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any sizes and places; in place, blocks of a pair of ranks have one size in both directions, as MPI demands.
 * <p>Memory: none; in place the window times the largest block.
 */
final class ScatteredAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "scattered";

    private final int window;

    /** @param window sends, and receives, that may be under way at once */
    ScatteredAlltoall(final int window) {
        this.window = window;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.scattered(call.recv(), plan, window);
            return;
        }
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final SlotRotation receives = new SlotRotation(Math.min(window, ring.size()));
        final SlotRotation sends = new SlotRotation(Math.min(window, ring.size()));
        for (int t = 1; t < ring.size(); t++) {
            final int from = ring.back(t);
            final BufferRange arriving = call.recv().in(Buffer.RECV, from);
            if (arriving.bytes() > 0) {
                final int turn = receives.next();
                receives.usedBy(turn, plan.recv(arriving, from, receives.free(turn)));
            }
        }
        for (int t = 1; t < ring.size(); t++) {
            final int to = ring.back(ring.size() - t);
            final BufferRange leaving = call.send().in(Buffer.SEND, to);
            if (leaving.bytes() > 0) {
                final int turn = sends.next();
                sends.usedBy(turn, plan.send(leaving, to, sends.free(turn)));
            }
        }
        InPlaceExchange.copyOwn(call, plan);
    }
}
