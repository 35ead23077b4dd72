package tutti.coll.ring;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Pairwise alltoall, alltoallv and alltoallw: in step t every rank sends to the rank t above and receives from the rank t below, and only a
 * few steps are under way.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521 (there: pairwise exchange); the window, and the pairing of the
 * in-place form as in round-robin tournaments, are textbook.
 * <p>Idea: a step waits until both messages of the step w before are done, w being the window, so no rank is flooded, and none runs away from the
 * others. In place a block may only be replaced after it was sent: see {@link InPlaceExchange}. Empty blocks are left out: sender and receiver agree
 * on them.
 * <pre>
 *   4 ranks, step 1:  0 → 1 → 2 → 3 → 0      step 2:  0 ↔ 2, 1 ↔ 3      step 3:  0 → 3 → 2 → 1 → 0
 *   in place          1 ↔ 3                  0 ↔ 1, 2 ↔ 3               0 ↔ 2                  0 ↔ 3, 1 ↔ 2
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes, any window: (p-1)(α + nβ), p = 2^k and other alike; in place at most 1.5(p-1)(α + nβ), with a window of
 * 1 p(α + nβ); p(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any sizes and places; in place, blocks of a pair of ranks have one size in both directions, as MPI demands.
 * <p>Memory: none; in place the window times the largest block.
 */
final class PairwiseAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "pairwise";

    private final int window;

    /** @param window steps that may be under way at once */
    PairwiseAlltoall(final int window) {
        this.window = window;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.inSteps(call.recv(), plan, window);
            return;
        }
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final SlotRotation steps = new SlotRotation(Math.min(window, ring.size()));
        for (int t = 1; t < ring.size(); t++) {
            final int to = ring.back(ring.size() - t);
            final int from = ring.back(t);
            final BufferRange leaving = call.send().in(Buffer.SEND, to);
            final BufferRange arriving = call.recv().in(Buffer.RECV, from);
            if (leaving.bytes() + arriving.bytes() > 0) {
                final int step = steps.next();
                final int[] before = steps.free(step);
                final int[] received = arriving.bytes() > 0 ? Dependencies.of(plan.recv(arriving, from, before)) : Dependencies.NONE;
                final int[] sent = leaving.bytes() > 0 ? Dependencies.of(plan.send(leaving, to, before)) : Dependencies.NONE;
                steps.usedBy(step, Dependencies.both(received, sent));
            }
        }
        InPlaceExchange.copyOwn(call, plan);
    }
}
