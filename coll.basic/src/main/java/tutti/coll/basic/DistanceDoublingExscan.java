package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;

/**
 * Distance doubling exscan: in round k every rank sends its partial result to the rank 2^k above, and keeps a result without its own part.
 *
 * <p>Source: W. D. Hillis, G. L. Steele, Data parallel algorithms, Communications of the ACM 29(12), 1986, doi:10.1145/7902.7903; the
 * second value as in MPICH's {@code exscan_intra_recursive_doubling}.
 * <p>Idea: as {@link DistanceDoublingScan}, with two values. The partial result stands for the last 2^k ranks and is sent. The result is
 * the partial result without the rank's own part. A received value is combined into both, into the partial result only if that is sent again.
 * <pre>
 *   5 ranks, results    round 1:  0 → 1 → 2 → 3 → 4             -, 0, 1, 2, 3
 *                       round 2:  0 → 2,  1 → 3,  2 → 4         (0 1), (0 1 2), (1 2 3)
 *                       round 3:  0 → 4                         (0 1 2 3)
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ) + at most (2⌈log2 p⌉ - 2) nγ, p = 2^k and other p alike;
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
        final DataTasks tasks = new DataTasks(plan);
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        BufferRange partial = call.input();
        if (call.inPlace() && rank > 0 && above > 0) {
            // without a copy, receiving the first value would wait until the own one was sent, rank after rank
            partial = copied(tasks, partial);
        }
        BufferRange arriving = result;
        for (int distance = 1; distance < plan.size(); distance <<= 1) {
            if (distance <= above) {
                tasks.send(partial, rank + distance);
            }
            if (distance > rank) {
                continue;
            }
            tasks.recv(arriving, rank - distance);
            if (2L * distance <= above) {
                partial = partial.equals(call.input()) ? copied(tasks, partial) : partial;
                tasks.reduce(call.reduction(), arriving, partial);
            }
            if (distance > 1) {
                tasks.reduce(call.reduction(), arriving, result);
            } else if (rank > 1) {
                arriving = tasks.plan().scratch(call.bytes());
            }
        }
    }

    private static BufferRange copied(final DataTasks tasks, final BufferRange partial) {
        final BufferRange copy = tasks.plan().scratch(partial.bytes());
        tasks.copy(partial, copy);
        return copy;
    }
}
