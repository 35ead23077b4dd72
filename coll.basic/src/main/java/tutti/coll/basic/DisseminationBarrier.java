package tutti.coll.basic;

import java.util.Arrays;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Dissemination barrier: in round k every rank notifies the rank 2^k above, in cyclic order.
 *
 * <p>Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, International Journal of Parallel Programming
 * 17(1), 1988, doi:10.1007/BF01379320.
 * <p>Idea: before round k a rank knows that 2^k consecutive ranks, the last of which is itself, have entered. The message of round k stands for
 * the 2^k ranks below those. A rank sends only after it has received the messages of all earlier rounds.
 * <pre>
 *   5 ranks     round 1:  0 → 1 → 2 → 3 → 4 → 0
 *               round 2:  0 → 2 → 4 → 1 → 3 → 0
 *               round 3:  0 → 4 → 3 → 2 → 1 → 0
 * </pre>
 * <p>Cost for p ranks: ⌈log2 p⌉ α, p = 2^k and other p alike; p⌈log2 p⌉ empty messages.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
final class DisseminationBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "dissemination";

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int size = plan.size();
        final BufferRange empty = plan.scratch(0);
        final int[] received = new int[Binomial.log2(size)];
        for (int round = 0; round < received.length; round++) {
            final int distance = 1 << round;
            plan.send(empty, CyclicRanks.up(plan.rank(), distance, size), Arrays.copyOf(received, round));
            received[round] = plan.recv(empty, CyclicRanks.down(plan.rank(), distance, size));
        }
    }
}
