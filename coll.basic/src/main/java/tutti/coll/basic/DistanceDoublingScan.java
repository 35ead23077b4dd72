package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;

/**
 * Distance doubling scan: in round k every rank sends its partial result to the rank 2^k above.
 *
 * <p>Source: W. D. Hillis, G. L. Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986, doi:10.1145/7902.7903.
 * <p>Idea: before round k a rank's partial result stands for 2^k ranks, the last of which is itself. The value received in round k stands for
 * the 2^k ranks below those.
 * <pre>
 *   5 ranks     round 1:  0 → 1 → 2 → 3 → 4             0, (0 1), (1 2), (2 3), (3 4)
 *               round 2:  0 → 2,  1 → 3,  2 → 4         (0 1 2), (0 1 2 3), (1 2 3 4)
 *               round 3:  0 → 4                         (0 1 2 3 4)
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ + nγ), p = 2^k and other p alike; p⌈log2 p⌉ - 2^⌈log2 p⌉ + 1 messages.
 * <p>Needs: nothing; any p; keeps the order of ranks.
 * <p>Memory: n bytes.
 */
final class DistanceDoublingScan implements Algorithm<Call.Scan> {
    static final String NAME = "doubling";

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        final int rank = plan.rank();
        final RunningReduction partial = new RunningReduction(new DataTasks(plan), call.reduction(), call.input(),
            Buffer.RECV.at(0, call.bytes()), 0, true);
        for (int distance = 1; distance < plan.size(); distance <<= 1) {
            if (distance < plan.size() - rank) {
                partial.send(rank + distance);
            }
            if (distance <= rank) {
                partial.lower(rank - distance);
            }
        }
        partial.finish();
    }
}
