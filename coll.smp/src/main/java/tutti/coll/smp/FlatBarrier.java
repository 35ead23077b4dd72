package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Barrier without messages in one step: every rank posts and awaits the posts of all others.
 *
 * <p>Source: textbook.
 * <p>Idea: one hop, the least there is, at the price of as many awaits as there are pairs of ranks: for few ranks.
 * <pre>
 *   4 ranks     0 → 1 2 3,  1 → 2 3 0,  2 → 3 0 1,  3 → 0 1 2
 * </pre>
 * <p>Cost for p ranks, p = 2^k and other alike: p posts, p(p-1) awaits, one hop from post to await; no messages.
 * <p>Needs: all ranks on one node; any p.
 * <p>Memory: none.
 */
final class FlatBarrier implements Algorithm<Call.Barrier> {
    static final String NAME = "flat";

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        plan.post();
        for (int i = 1; i < plan.size(); i++) {
            plan.await((plan.rank() + i) % plan.size(), 0);
        }
    }
}
