package tutti.coll.basic;

import java.util.Arrays;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Dissemination barrier: in round k every rank tells the rank 2^k above, around the circle, what it has heard so far.
 *
 * <p>Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, International Journal of Parallel Programming
 * 17(1), 1988, doi:10.1007/BF01379320.
 * <p>Idea: before round k a rank has heard from the 2^k ranks up to itself; what arrives stands for the 2^k ranks before those. A rank sends only
 * after all that it should have heard is there.
 * <pre>
 *   5 ranks     round 1:  0 → 1 → 2 → 3 → 4 → 0
 *               round 2:  0 → 2 → 4 → 1 → 3 → 0
 *               round 3:  0 → 4 → 3 → 2 → 1 → 0
 * </pre>
 * <p>Cost for p ranks: ⌈log2 p⌉ α, p = 2^k and other alike; p⌈log2 p⌉ empty messages.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
final class DisseminationBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "dissemination";

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int size = plan.size();
        final BufferRange nothing = plan.scratch(0);
        final int[] heard = new int[Binomial.log2(size)];
        for (int round = 0; round < heard.length; round++) {
            final int distance = 1 << round;
            plan.send(nothing, CyclicRanks.up(plan.rank(), distance, size), Arrays.copyOf(heard, round));
            heard[round] = plan.recv(nothing, CyclicRanks.down(plan.rank(), distance, size));
        }
    }
}
