package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Reduction;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.EvenPartition;

/**
 * Reduce without messages, as reduce-scatter and gather: each rank combines one block of all contributions, and the root copies the blocks from
 * there.
 *
 * <p>Source: as {@link BlocksAllreduce}.
 * <p>Idea: all ranks share the work of combining. Others cannot know whether the root's contribution is in its send or receive buffer, so the root
 * copies it first. When the root has a block, all contributions to it have been read. So the others may return when the root has posted that it has
 * all blocks.
 * <pre>
 *   4 ranks, root 0     each rank r combines block r:  ((0 1) (2 3));  then 1 2 3 ⇒ 0 (read);  0 → 1 2 3 (released)
 * </pre>
 * <p>Cost for p ranks, n bytes, p = 2^k and other alike: 2p posts, (p-1)(p+2) awaits; the root copies n bytes; (p-1)/p nγ on each rank, all ranks at
 * the same time; then p-1 reads of n/p bytes; 3 hops from post to await; no messages.
 * <p>Needs: all ranks on one node; any p, any root, any n; canonical brackets.
 * <p>Memory: ⌈log2 p⌉ - 1 segments, and n/p bytes, at the root n bytes.
 */
final class BlocksReduce implements AdvancedAlgorithm<Call.Reduce> {
    static final String NAME = "blocks";

    private final long segment;

    /** @param segment bytes that are combined at a time */
    BlocksReduce(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final AdvancedPlan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final int rank = plan.rank();
        final int size = plan.size();
        final boolean isRoot = rank == call.root();
        final EvenPartition partition = new EvenPartition(call.bytes(), reduction.elementBytes(), size);
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        if (isRoot) {
            plan.post(plan.copy(call.input(), plan.scratch(call.bytes())));
        } else {
            plan.post();
        }
        final List<Task> done = new ArrayList<>();
        if (partition.bytes(rank) > 0) {
            final BufferRange into = isRoot ? partition.of(out, rank) : plan.scratch(partition.bytes(rank));
            final boolean isInPlace = call.inPlace() && rank == size - 1;
            done.addAll(List.of(CanonicalReduction.ofAll(plan, reduction, segment, r -> r == rank && isInPlace ? into
                : partition.of((r == call.root() ? Buffer.SCRATCH : Buffer.SEND).at(0, call.bytes()), rank), into)));
        }
        for (int i = 1; isRoot && i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            if (partition.bytes(peer) > 0) {
                done.add(plan.get(peer, Buffer.SCRATCH.at(0, partition.bytes(peer)), partition.of(out, peer), plan.await(peer, 1)));
            }
        }
        if (!done.isEmpty()) {
            plan.post(done);
        }
        if (!isRoot) {
            plan.await(call.root(), 1);
        }
    }
}
