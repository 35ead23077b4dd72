package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;
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
final class BlocksAllreduce implements AdvancedAlgorithm<Call.Allreduce> {
    static final String NAME = "blocks";

    private final long segment;

    /** @param segment bytes that are combined at a time */
    BlocksAllreduce(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final int rank = plan.rank();
        final int size = plan.size();
        final EvenPartition partition = new EvenPartition(call.bytes(), call.reduction().elementBytes(), size);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final BufferRange own = partition.of(out, rank);
        plan.post();
        if (own.bytes() > 0) {
            final BufferRange into = call.inPlace() ? plan.scratch(own.bytes()) : own;
            plan.post(CanonicalReduction.ofAll(plan, call.reduction(), segment, r -> partition.of(call.input(), rank), into));
            if (call.inPlace()) {
                plan.copy(into, own);
            }
        }
        final List<Task> read = new ArrayList<>();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            final BufferRange block = partition.of(out, peer);
            if (block.bytes() > 0) {
                read.add(plan.get(peer, call.inPlace() ? Buffer.SCRATCH.at(0, block.bytes()) : block, block, plan.await(peer, 1)));
            }
        }
        if (!read.isEmpty()) {
            plan.post(read);
        }
        for (int i = 1; own.bytes() > 0 && i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            plan.await(peer, partition.bytes(peer) > 0 ? 2 : 1);
        }
    }
}
