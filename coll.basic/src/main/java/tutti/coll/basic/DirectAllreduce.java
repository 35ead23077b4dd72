package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.EvenPartition;

/**
 * Direct allreduce: every rank receives all contributions to one block, combines them, and sends the result to all ranks.
 *
 * <p>Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations in MPICH, International Journal of
 * High Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521 (reduce-scatter and allgather); here both phases are
 * direct exchanges.
 * <p>Idea: as {@link DirectReduceScatter}, then the rank that combined a block sends it directly to the others.
 * <pre>
 *   4 ranks, block of rank 1:   1 ← 0, 1 ← 3, 1 ← 2     ((0 1) (2 3))
 *                               1 → 2, 1 → 3, 1 → 0
 * </pre>
 * <p>Cost for p ranks, n bytes: 2(p-1) α + (p-1)/p n (2β + γ), p = 2^k and other p alike; 2p(p-1) messages, fewer where there are fewer
 * elements than ranks.
 * <p>Needs: nothing; any p; its brackets are canonical.
 * <p>Memory: n bytes, and a block at most.
 */
final class DirectAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "direct";

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final int rank = plan.rank();
        final int size = plan.size();
        if (size == 1) {
            if (!call.inPlace()) {
                plan.copy(call.input(), Buffer.RECV.at(0, call.bytes()));
            }
            return;
        }
        final Blocks blocks = new EvenPartition(call.bytes(), call.reduction().elementBytes(), size).layout();
        final BlockReduction own = new BlockReduction(plan, call.reduction(), blocks, call.input());
        final BufferRange out = blocks.in(Buffer.RECV, rank);
        final BufferRange result = own.gather(out, !call.inPlace());
        if (result != null) {
            own.combine();
        }
        for (int i = 1; i < size; i++) {
            if (result != null) {
                plan.send(result, CyclicRanks.up(rank, i, size));
            }
            final int from = CyclicRanks.down(rank, i, size);
            if (blocks.bytes(from) > 0) {
                plan.recv(blocks.in(Buffer.RECV, from), from);
            }
        }
        if (result != null && !result.equals(out)) {
            plan.copy(result, out);
        }
    }
}
