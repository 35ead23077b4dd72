package tutti.coll.smp;

import java.util.List;
import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;
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
final class BlocksReduce implements Algorithm<Call.Reduce> {
    static final String NAME = "blocks";

    private final long segment;

    /** @param segment bytes that are combined at a time */
    BlocksReduce(final long segment) {
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        if (call.bytes() == 0) {
            return;
        }
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final EvenPartition partition = new EvenPartition(call.bytes(), reduction.elementBytes(), plan.size());
        if (plan.rank() == call.root()) {
            collect(call, reduction, plan, partition);
            return;
        }
        plan.post();
        if (partition.bytes(plan.rank()) > 0) {
            plan.post(combine(call, reduction, plan, partition, Buffer.SEND.at(0, call.bytes()), plan.scratch(partition.bytes(plan.rank()))));
        }
        plan.await(call.root(), 1);
    }

    private void collect(final Call.Reduce call, final Reduction reduction, final Plan plan, final EvenPartition partition) {
        final int rank = plan.rank();
        final BufferRange own = plan.scratch(call.bytes());
        final BufferRange out = Buffer.RECV.at(0, call.bytes());
        final int copied = plan.copy(call.input(), own);
        plan.post(copied);
        final Dependencies done = new Dependencies();
        if (partition.bytes(rank) > 0) {
            done.add(combine(call, reduction, plan, partition, own, partition.of(out, rank), copied));
        }
        for (int i = 1; i < plan.size(); i++) {
            final int peer = (rank + i) % plan.size();
            if (partition.bytes(peer) > 0) {
                final int ready = plan.await(peer, 1);
                done.add(plan.get(peer, Buffer.SCRATCH.at(0, partition.bytes(peer)), partition.of(out, peer),
                    call.inPlace() ? Dependencies.of(ready, copied) : Dependencies.of(ready)));
            }
        }
        plan.post(done.all());
    }

    /** Combines the own block. {@code ready} are the tasks after which the own contribution is at {@code own}. */
    private int[] combine(final Call.Reduce call, final Reduction reduction, final Plan plan, final EvenPartition partition, final BufferRange own,
        final BufferRange into, final int... ready) {
        final int rank = plan.rank();
        final BufferRange others = partition.of(Buffer.SEND.at(0, call.bytes()), rank);
        final BufferRange ofRoot = partition.of(Buffer.SCRATCH.at(0, call.bytes()), rank);
        final List<ReductionOperand> operands = Contributions.all(plan, r -> r == call.root() ? ofRoot : others);
        final boolean isCombinedInPlace = call.inPlace() && rank == plan.size() - 1;
        operands.set(rank, new ReductionOperand(ReductionOperand.OWN, isCombinedInPlace ? into : partition.of(own, rank), ready));
        return new CanonicalReduction(plan, reduction, plan.size(), into.bytes(), segment)
            .plan(operands, into, call.inPlace() ? ready : Dependencies.NONE);
    }
}
