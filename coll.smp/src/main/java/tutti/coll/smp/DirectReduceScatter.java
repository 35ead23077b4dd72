package tutti.coll.smp;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRanks;
import tutti.coll.patterns.Dependencies;

/**
 * Reduce-scatter in both forms without messages: each rank combines its block of all contributions directly from their buffers.
 *
 * <p>Source: as {@link BlocksAllreduce}.
 * <p>Idea: each byte is combined once and read once. Each rank posts that its contribution is available, combines its block, posts that it has read,
 * and returns when all others have read its contribution. Short contributions are read from copies in shared memory, and no rank waits.
 * <pre>
 *   4 ranks     rank 1 combines block 1:  ((0 1) (2 3))
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, p = 2^k and other alike: 2p posts, 2p(p-1) awaits, (p-1)mγ on each rank, all ranks at the same time; 2
 * hops from post to await; no messages. Short contributions: p posts, p(p-1) awaits, 1 hop, and one copy of pm bytes before.
 * <p>Needs: all ranks on one node; any p, any block sizes; canonical brackets.
 * <p>Memory: ⌈log2 p⌉ - 1 segments; in place m bytes more.
 */
final class DirectReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "direct";

    private final long segment;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param segment bytes that are combined at a time
     * @param eager   bytes up to which contributions are read from copies
     */
    DirectReduceScatter(final long segment, final long eager) {
        this.segment = segment;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        final Blocks blocks = call.blocks();
        if (blocks.total() == 0) {
            return;
        }
        if (blocks.total() <= eager) {
            planShort(call, plan);
            return;
        }
        final int rank = plan.rank();
        final int size = plan.size();
        final long own = blocks.bytes(rank);
        final BufferRange out = Buffer.RECV.at(0, own);
        final BufferRange into = call.inPlace() ? plan.scratch(own) : out;
        plan.post();
        int[] sum = Dependencies.NONE;
        if (own > 0) {
            final CanonicalReduction sums = new CanonicalReduction(plan, call.reduction(), size, own, segment);
            sum = sums.plan(Contributions.all(plan, r -> call.input().slice(blocks.offset(rank), own)), into);
            plan.post(sum);
        }
        final Dependencies read = new Dependencies();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            if (blocks.bytes(peer) > 0) {
                read.add(plan.await(peer, 1));
            }
        }
        if (call.inPlace() && own > 0) {
            plan.copy(into, out, read.add(sum).all());
        }
    }

    private void planShort(final Call.ReduceScatter call, final Plan plan) {
        final int rank = plan.rank();
        final long own = call.blocks().bytes(rank);
        final int[] readers = IntStream.of(EagerCopy.others(plan)).filter(r -> call.blocks().bytes(r) > 0).toArray();
        final int copied = EagerCopy.post(plan, call.input(), readers);
        if (own > 0) {
            final BufferRange block = call.blocks().in(Buffer.SHARED, rank);
            final List<ReductionOperand> operands = Contributions.all(plan, r -> block);
            operands.set(rank, new ReductionOperand(ReductionOperand.OWN, block, copied));
            new CanonicalReduction(plan, call.reduction(), plan.size(), own, segment).plan(operands, Buffer.RECV.at(0, own), copied);
        }
    }
}
