package tutti.coll.smp;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.Dependencies;
import tutti.coll.patterns.EvenPartition;

/**
 * Allreduce without messages, as reduce-scatter and allgather: each rank combines one block of all contributions, and the others copy it from there.
 *
 * <p>Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004, doi:10.1007/978-3-540-24685-5_1 (there with messages).
 * <p>Idea: all ranks share the work of combining. Each byte is combined once and read once by each reader. An owner combines its block at its final
 * location, in place in scratch memory, and a reader copies it to the same location of its own buffer. A rank may overwrite its contribution to a
 * block when the owner has posted that the block is combined.
 * <pre>
 *   4 ranks     rank 1 combines block 1:  ((0 1) (2 3));  then reads 2 of 2, 3 of 3, 0 of 0
 * </pre>
 * <p>Cost for p ranks, n bytes, p = 2^k and other alike: 3p posts, 3p(p-1) awaits, (p-1)/p nγ on each rank, then p-1 reads of n/p bytes, all ranks
 * at the same time; 3 hops from post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any n; canonical brackets.
 * <p>Memory: ⌈log2 p⌉ - 1 segments; in place n/p bytes more.
 */
final class BlocksAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "blocks";

    private final long segment;

    /** @param segment bytes that are combined at a time */
    BlocksAllreduce(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final int rank = plan.rank();
        final int size = plan.size();
        final EvenPartition partition = new EvenPartition(call.bytes(), call.reduction().elementBytes(), size);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        plan.post();
        if (partition.bytes(rank) > 0) {
            combine(call, plan, partition, out);
        }
        final Dependencies read = new Dependencies();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            if (partition.bytes(peer) > 0) {
                read.add(plan.get(peer, result(call, partition, peer, out), partition.of(out, peer), plan.await(peer, 1)));
            }
        }
        final int[] all = read.all();
        if (all.length > 0) {
            plan.post(all);
        }
        for (int i = 1; partition.bytes(rank) > 0 && i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            plan.await(peer, partition.bytes(peer) > 0 ? 2 : 1);
        }
    }

    private void combine(final Call.Allreduce call, final Plan plan, final EvenPartition partition, final BufferRange out) {
        final int rank = plan.rank();
        final BufferRange into = call.inPlace() ? plan.scratch(partition.bytes(rank)) : partition.of(out, rank);
        final CanonicalReduction sums = new CanonicalReduction(plan, call.reduction(), plan.size(), into.bytes(), segment);
        final int[] sum = sums.plan(Contributions.all(plan, r -> partition.of(call.input(), rank)), into);
        plan.post(sum);
        if (call.inPlace()) {
            plan.copy(into, partition.of(out, rank), sum);
        }
    }

    /** Returns the range from which a rank's block of the result is read. */
    private static BufferRange result(final Call.Allreduce call, final EvenPartition partition, final int rank, final BufferRange out) {
        return call.inPlace() ? Buffer.SCRATCH.at(0, partition.bytes(rank)) : partition.of(out, rank);
    }
}
