package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedAlgorithm;
import tutti.coll.advanced.AdvancedPlan;
import tutti.coll.patterns.CyclicRanks;

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
final class DirectReduceScatter implements AdvancedAlgorithm<Call.ReduceScatter> {
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
    public void plan(final Call.ReduceScatter call, final AdvancedPlan plan) {
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
        final BufferRange out = Buffer.RECV.at(0, blocks.bytes(rank));
        final BufferRange into = call.inPlace() ? plan.scratch(out.bytes()) : out;
        plan.post();
        if (out.bytes() > 0) {
            plan.post(CanonicalReduction.ofAll(plan, call.reduction(), segment, r -> call.input().slice(blocks.offset(rank), out.bytes()), into));
        }
        final List<Task> overwritten = new ArrayList<>();
        for (int i = 1; i < size; i++) {
            final int peer = CyclicRanks.up(rank, i, size);
            if (blocks.bytes(peer) > 0) {
                final Task read = plan.await(peer, 1);
                if (blocks.offset(peer) < out.bytes()) {
                    overwritten.add(read);
                }
            }
        }
        if (call.inPlace() && out.bytes() > 0) {
            plan.copy(into, out, overwritten.toArray(Task[]::new));
        }
    }

    private void planShort(final Call.ReduceScatter call, final AdvancedPlan plan) {
        final Blocks blocks = call.blocks();
        final int rank = plan.rank();
        EagerCopy.post(plan, call.input(), IntStream.of(EagerCopy.others(plan)).filter(r -> blocks.bytes(r) > 0).toArray());
        if (blocks.bytes(rank) > 0) {
            CanonicalReduction.ofAll(plan, call.reduction(), segment, r -> blocks.in(Buffer.SHARED, rank), Buffer.RECV.at(0, blocks.bytes(rank)));
        }
    }
}
