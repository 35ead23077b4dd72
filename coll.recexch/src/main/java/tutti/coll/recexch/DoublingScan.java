package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DependencyTracker;

/**
 * Recursive doubling scan and exscan with any radix: in round i, k ranks at distance k^i exchange the totals of their aligned blocks of k^i ranks.
 * Each prepends the totals of lower ranks to its result, and all compute the total of the next larger block.
 *
 * <p>Source: W. D. Hillis, G. L. Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986, doi:10.1145/7902.7903; in aligned blocks
 * as G. E. Blelloch, Scans as primitive parallel operations, IEEE Transactions on Computers 38(11), 1989, doi:10.1109/12.42122. Here each rank does
 * the up-sweep and the down-sweep at once, and the radix is any.
 * <p>Idea: only ranks above a block use its total, so the total of an incomplete block is never needed. Any number of ranks is served alike, and
 * rank r needs the total of its block of k^i ranks only if rank r + k^i exists. So no message is redundant.
 * <pre>
 *   5 ranks, k = 2   round 0:  0 ↔ 1,  2 ↔ 3       results 0, (0 1), 2, (2 3), 4
 *                    round 1:  0 ↔ 2,  1 → 3       results 0, (0 1), ((0 1) 2), ((0 1) (2 3)), 4; 0 knows ((0 1) (2 3))
 *                    round 2:  0 → 4               result of 4: (((0 1) (2 3)) 4)
 * </pre>
 * <p>Cost for p ranks, n bytes, radix k, m = ⌈log_k p⌉, for any p: k = 2: m(α + nβ), and mnγ for the scan, at most that for the exscan; other k: at
 * most m(k-1)(α + nβ + nγ), where totals and results are computed side by side.
 * <p>Needs: nothing; any p, any count; keeps the order of ranks. For k = 2 its brackets are canonical for every p.
 * <p>Memory: at most kn bytes.
 */
final class DoublingScan implements Algorithm<Call.Scan> {
    static final String NAME = "doubling";

    private final int radix;
    private final boolean isExclusive;

    /** @param isExclusive whether a rank's own contribution is left out of its result */
    DoublingScan(final int radix, final boolean isExclusive) {
        this.radix = radix;
        this.isExclusive = isExclusive;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        final ScanState state = new ScanState(new DependencyTracker(plan), call, plan.rank(), isExclusive);
        state.start(plan.size());
        for (final ScanRound round : ScanRound.all(plan.rank(), plan.size(), radix)) {
            state.plan(round);
        }
    }
}
