package tutti.coll.basic;

import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.advanced.CollSubComm;

/**
 * Barrier of two groups: a barrier in each group, then every rank is notified by a rank of the other group.
 *
 * <p>Source: P. V. Silva, J. G. Silva, Implementing MPI-2 extended collective operations, EuroPVM/MPI 1999, doi:10.1007/3-540-48158-3_16 (a local
 * phase, then a phase between the groups); notifying all ranks, so that no broadcast follows, is new in this module.
 * <p>Idea: a rank that has left the barrier of its group knows that all its ranks have entered, and tells its partners of {@link GroupPairs}.
 * <pre>
 *   3 and 2 ranks     barrier of 0 1 2, barrier of a b;   0 ↔ a,  1 ↔ b;   a → 2
 * </pre>
 * <p>Cost for groups of p and q ranks, p the larger, where the module itself serves the groups: at most (⌈log2 p⌉ + ⌈p/q⌉) α, which is met
 * for p = q = 2^k; a barrier in each group and p + q messages.
 * <p>Needs: nothing; any two groups.
 * <p>Memory: none.
 */
final class PairsBarrier implements AdvancedAlgorithm<Call.Barrier> {
    static final String NAME = "pairs";

    private final CollSubComm group;

    PairsBarrier(final CollSubComm group) {
        this.group = group;
    }

    @Override
    public void plan(final Call.Barrier call, final AdvancedPlan plan) {
        final Task entered = plan.nested(group, Operation.BARRIER, call, null, null);
        final BufferRange empty = plan.scratch(0);
        GroupPairs.of(plan).exchange(plan, empty, empty, entered);
    }
}
