package tutti.coll.recexch;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.DataTasks;
import tutti.coll.patterns.ScratchPool;

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
        final int rank = plan.rank();
        final int size = plan.size();
        final int k = Math.min(radix, size);
        final DataTasks tasks = new DataTasks(plan);
        final ScratchPool pool = new ScratchPool(plan, 0);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        BufferRange total = call.input();
        if (!isExclusive && !call.inPlace()) {
            tasks.copy(total, out);
        } else if (isExclusive && call.inPlace() && rank > 0 && rank < size - 1) {
            // otherwise the receive of the first value would wait until the contribution was sent, rank after rank
            total = copy(total, pool, tasks);
        }
        for (long span = 1; span < size; span *= k) {
            final int own = (int) (rank / span % k);
            final boolean needsTotal = rank + span * k < size;
            // values[d] is the total of the rank with digit d
            final BufferRange[] values = new BufferRange[k];
            values[own] = total;
            for (int i = 1; i < k; i++) {
                final long to = rank + (CyclicRanks.up(own, i, k) - own) * span;
                if (to > rank ? to < size : to + span * k < size) {
                    tasks.send(total, (int) to);
                }
                final int from = CyclicRanks.down(own, i, k);
                if (from < own || needsTotal) {
                    values[from] = isExclusive && rank % span == 0 && from == own - 1 ? out : pool.take(call.bytes());
                    tasks.recv(values[from], (int) (rank + (from - own) * span));
                }
            }
            if (needsTotal && !isExclusive && (rank + 1) % (span * k) == 0) {
                // the rank is the last one of the larger block, so its result is the total
                total = out;
            } else if (needsTotal) {
                total = values[k - 1].buffer() == Buffer.SEND ? copy(values[k - 1], pool, tasks) : values[k - 1];
                for (int d = k - 2; d >= 0; d--) {
                    tasks.reduce(call.reduction(), values[d], total);
                }
            }
            for (int d = own - 1; d >= 0; d--) {
                if (!values[d].equals(out)) {
                    tasks.reduce(call.reduction(), values[d], out);
                }
            }
            for (final BufferRange v : values) {
                if (v != null && !v.equals(total)) {
                    pool.release(v);
                }
            }
        }
    }

    private static BufferRange copy(final BufferRange value, final ScratchPool pool, final DataTasks tasks) {
        final BufferRange space = pool.take(value.bytes());
        tasks.copy(value, space);
        return space;
    }
}
