package tutti.coll.smp;

import tutti.coll.Call;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Barrier without messages: the arrival of ranks is gathered along a tree, and the last rank releases all of them.
 *
 * <p>Source: J. M. Mellor-Crummey, M. L. Scott, Algorithms for scalable synchronization on shared-memory multiprocessors, ACM Transactions on
 * Computer Systems 9(1), 1991, doi:10.1145/103727.103729 (there: tree barrier with a global wakeup flag).
 * <p>Idea: each rank posts once, after its children in the tree have posted. All but the last rank await the post of the last rank.
 * <pre>
 *   5 ranks, fan-in 4     0 1 2 → 3;  3 → 4;  4 → 0 1 2 3
 * </pre>
 * <p>Cost for p ranks and fan-in f, p = 2^k and other alike: p posts, 2(p-1) awaits; ⌈log_f p⌉ + 1 hops from post to await, if all ranks arrive
 * at the same time; no messages.
 * <p>Needs: all ranks on one node; any p.
 * <p>Memory: none.
 */
final class GatherReleaseBarrier implements AdvancedAlgorithm<Call.Barrier> {
    static final String NAME = "gather_release";

    private final int radix;

    /** @param radix fan-in of the tree */
    GatherReleaseBarrier(final int radix) {
        this.radix = radix;
    }

    @Override
    public void plan(final Call.Barrier call, final AdvancedPlan plan) {
        final FanInTree tree = new FanInTree(plan.size(), radix);
        plan.post(tree.children(plan.rank()).stream().map(child -> plan.await(child, 0)).toList());
        if (plan.rank() != tree.top()) {
            plan.await(tree.top(), 0);
        }
    }
}
