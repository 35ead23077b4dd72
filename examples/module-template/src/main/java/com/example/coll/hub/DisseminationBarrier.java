package com.example.coll.hub;

import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Dissemination barrier: in each round a rank notifies a rank at twice the distance of the round before.
 *
 * <p>Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, International Journal of Parallel Programming
 * 17(1), 1988, doi:10.1007/BF01379320.
 * <p>Idea: after round k a rank knows that the 2^k - 1 ranks below it have entered. A fence ends a round, so that a message
 * is sent only after those of all earlier rounds were received.
 * <pre>
 *   3 ranks     round 1:  0 → 1 → 2 → 0
 *               round 2:  0 → 2 → 1 → 0
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
        for (int distance = 1; distance < size; distance *= 2) {
            plan.send(empty, (plan.rank() + distance) % size);
            plan.recv(empty, (plan.rank() - distance + size) % size);
            plan.fence();
        }
    }
}
