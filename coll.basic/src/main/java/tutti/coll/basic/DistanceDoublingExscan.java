package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Distance doubling exscan: in round k every rank gives its value to the rank 2^k above, and keeps the result without its own part.
 *
 * <p>Source: W. D. Hillis, G. L. Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986, doi:10.1145/7902.7903; the
 * second running value is textbook.
 * <p>Idea: as the scan, with two values: the window, which stands for the last 2^k ranks and is passed on, and the result, which is
 * the window without the own rank. What arrives is combined into both, into the window only where it is passed on once more.
 * <pre>
 *   5 ranks, results    round 1:  0 → 1 → 2 → 3 → 4             -, 0, 1, 2, 3
 *                       round 2:  0 → 2,  1 → 3,  2 → 4         (0 1), (0 1 2), (1 2 3)
 *                       round 3:  0 → 4                         (0 1 2 3)
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ) + at most (2⌈log2 p⌉ - 2) nγ, p = 2^k and other alike;
 * p⌈log2 p⌉ - 2^⌈log2 p⌉ + 1 messages.
 * <p>Needs: nothing; any p; keeps the order of ranks. The receive buffer of rank 0 is not touched.
 * <p>Memory: 2n bytes.
 */
final class DistanceDoublingExscan implements Algorithm<Call.Scan> {
    static final String NAME = "doubling";

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        final int rank = plan.rank();
        final int above = plan.size() - 1 - rank;
        final DependencyTracker flow = new DependencyTracker(plan);
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        BufferRange window = call.input();
        if (call.inPlace() && rank > 0 && above > 0) {
            // else receiving the first value would wait for the own one to be taken, rank after rank
            window = copied(flow, window);
        }
        BufferRange arriving = result;
        for (int distance = 1; distance < plan.size(); distance <<= 1) {
            if (distance <= above) {
                flow.send(window, rank + distance);
            }
            if (distance > rank) {
                continue;
            }
            flow.recv(arriving, rank - distance);
            if (2L * distance <= above) {
                window = window.equals(call.input()) ? copied(flow, window) : window;
                flow.reduce(call.reduction(), arriving, window);
            }
            if (distance > 1) {
                flow.reduce(call.reduction(), arriving, result);
            } else if (rank > 1) {
                arriving = flow.scratch(call.bytes());
            }
        }
    }

    private static BufferRange copied(final DependencyTracker flow, final BufferRange window) {
        final BufferRange copy = flow.scratch(window.bytes());
        flow.copy(window, copy);
        return copy;
    }
}
