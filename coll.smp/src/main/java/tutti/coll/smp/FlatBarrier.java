package tutti.coll.smp;

import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

/**
 * Barrier without messages in one round: every rank posts and awaits the posts of all others.
 *
 * <p>Source: T. Hoefler, T. Mehlan, F. Mietke, W. Rehm, Fast barrier synchronization for InfiniBand, IPDPS 2006, doi:10.1109/IPDPS.2006.1639561
 * (there: n-way dissemination with messages; here n = p-1, in shared memory).
 * <p>Idea: one hop, the fewest possible, at the price of one await for each ordered pair of ranks. So it is for few ranks.
 * <pre>
 *   4 ranks     0 → 1 2 3,  1 → 2 3 0,  2 → 3 0 1,  3 → 0 1 2
 * </pre>
 * <p>Cost for p ranks, p = 2^k and other alike: p posts, p(p-1) awaits, one hop from post to await; no messages.
 * <p>Needs: all ranks on one node; any p.
 * <p>Memory: none.
 */
final class FlatBarrier implements AdvancedAlgorithm<Call.Barrier> {
    static final String NAME = "flat";

    @Override
    public void plan(final Call.Barrier call, final AdvancedPlan plan) {
        plan.post();
        for (int i = 1; i < plan.size(); i++) {
            plan.await(CyclicRanks.up(plan.rank(), i, plan.size()), 0);
        }
    }
}
