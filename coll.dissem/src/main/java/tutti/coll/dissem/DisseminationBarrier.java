package tutti.coll.dissem;

import java.util.Arrays;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Dissemination barrier with radix k: in round i every rank tells the ranks at 1 to k-1 times k^i above, around the circle, what it has heard.
 *
 * <p>Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, International Journal of Parallel Programming
 * 17(1), 1988, doi:10.1007/BF01379320 (there: k = 2).
 * <p>Idea: before round i a rank has heard of the k^i ranks up to itself; what comes from j k^i below stands for the k^i ranks from there down,
 * or for those of them that the rank has not met from the other side. A rank sends after it has heard of those that its message stands for.
 * <pre>
 *   5 ranks, k = 3     round 1:  0 → 1 → 2 → 3 → 4 → 0,  0 → 2 → 4 → 1 → 3 → 0
 *                      round 2:  0 → 3 → 1 → 4 → 2 → 0     3 and 4 below are heard of: the sender waits for its next below
 * </pre>
 * <p>Cost for p ranks: p = k^q: q(k-1)α; other: (q(k-1) + ⌈(p - k^q)/k^q⌉)α with q = ⌊log_k p⌋; p empty messages for each α. Where k-1 messages
 * of a rank move at once, ⌈log_k p⌉ α.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
final class DisseminationBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "dissemination";

    private final int radix;

    /** @param radix k */
    DisseminationBarrier(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final int size = plan.size();
        final List<RadixStep> hops = RadixStep.all(radix, size);
        final BufferRange nothing = plan.scratch(0);
        final int[] heard = new int[hops.size()];
        for (int i = 0; i < heard.length; i++) {
            final RadixStep hop = hops.get(i);
            plan.send(nothing, CyclicRanks.up(plan.rank(), hop.distance(), size), Arrays.copyOf(heard, RadixStep.nearer(hops, hop.run())));
            heard[i] = plan.recv(nothing, CyclicRanks.down(plan.rank(), hop.distance(), size));
        }
    }
}
