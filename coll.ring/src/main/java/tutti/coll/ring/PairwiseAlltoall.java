package tutti.coll.ring;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Task;
import tutti.coll.patterns.InPlaceExchange;
import tutti.coll.patterns.OwnBlock;
import tutti.coll.patterns.Throttle;

/**
 * Pairwise exchange alltoall, alltoallv and alltoallw: in step t every rank sends to the rank t above and receives from the rank t below. The number
 * of steps in progress is limited.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521 (there: pairwise exchange). The limit is as in MPICH, there for
 * its scattered algorithm, and the pairing of the in-place form is that of round-robin tournaments.
 * <p>Idea: with throttle w, a step waits until both messages of the step w before are complete. So no rank is flooded, and no rank runs ahead of the
 * others. In place a block may only be replaced after it was sent: see {@link InPlaceExchange}. Empty blocks are skipped: sender and receiver both
 * know them.
 * <pre>
 *   4 ranks, step 1:  0 → 1 → 2 → 3 → 0      step 2:  0 ↔ 2, 1 ↔ 3      step 3:  0 → 3 → 2 → 1 → 0
 *   in place          1 ↔ 3                  0 ↔ 1, 2 ↔ 3               0 ↔ 2                  0 ↔ 3, 1 ↔ 2
 * </pre>
 * <p>Cost for any p ranks, blocks of n bytes, any throttle: (p-1)(α + nβ); in place at most the larger of p and 1.5(p-1) times α + nβ, with
 * a throttle of 1 at most p(α + nβ); p(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any block sizes and displacements; in place, blocks of a pair of ranks have one size in both directions, as MPI requires.
 * <p>Memory: none; in place the throttle times the size of the largest block.
 */
final class PairwiseAlltoall implements Algorithm<Call.Alltoall> {
    static final String NAME = "pairwise";

    private final int throttle;

    /** @param throttle largest number of steps in progress */
    PairwiseAlltoall(final int throttle) {
        this.throttle = throttle;
    }

    @Override
    public void plan(final Call.Alltoall call, final Plan plan) {
        if (call.inPlace()) {
            InPlaceExchange.inSteps(call.recv(), plan, throttle);
            return;
        }
        final Ring ring = RingOrder.BY_RANK.from(plan);
        final Throttle steps = new Throttle(throttle);
        for (int t = 1; t < ring.size(); t++) {
            final int to = ring.back(ring.size() - t);
            final int from = ring.back(t);
            final BufferRange outgoing = call.send().in(Buffer.SEND, to);
            final BufferRange incoming = call.recv().in(Buffer.RECV, from);
            final List<Task> step = new ArrayList<>();
            if (incoming.bytes() > 0) {
                step.add(plan.recv(incoming, from, steps.before()));
            }
            if (outgoing.bytes() > 0) {
                step.add(plan.send(outgoing, to, steps.before()));
            }
            if (!step.isEmpty()) {
                steps.add(step.toArray(Task[]::new));
            }
        }
        OwnBlock.copy(call, plan);
    }
}
