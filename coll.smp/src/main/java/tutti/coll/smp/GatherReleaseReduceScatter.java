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

/**
 * Reduce-scatter in both forms without messages: contributions are combined along a tree of small fan-in, and all ranks copy their block from its
 * top.
 *
 * <p>Source: as {@link DirectBcast}.
 * <p>Idea: as {@link GatherReleaseAllreduce}, with long partial results in scratch memory, because receive buffers are too short.
 * <pre>
 *   4 ranks, fan-in 4     0 1 2 ⇒ 3 ((0 1) (2 3));  3 ⇒ 0 1 2 (each its block);  0 1 2 → 3 (released)
 * </pre>
 * <p>Cost for p ranks, blocks of m bytes, fan-in f, p = 2^k and other alike: 2p-1 posts and 3(p-1) awaits where no block is empty, at most ⌈log_f
 * p⌉(f-1)pmγ along the tree, then p-1 reads of m bytes at the same time; 2⌈log_f p⌉ + 1 hops from post to await; no messages. Short
 * contributions: p posts, 2(p-1) awaits, ⌈log_f p⌉ + 1 hops.
 * <p>Needs: all ranks on one node; any p, any block sizes; canonical brackets.
 * <p>Memory: pm bytes and log2 f - 1 segments on ranks that combine.
 */
final class GatherReleaseReduceScatter implements AdvancedAlgorithm<Call.ReduceScatter> {
    static final String NAME = "gather_release";

    private final int radix;
    private final long segment;
    private final long eager;

    /**
     * Creates the algorithm.
     *
     * @param radix   fan-in of the tree
     * @param segment bytes that are combined at a time
     * @param eager   bytes up to which partial results are in shared memory
     */
    GatherReleaseReduceScatter(final int radix, final long segment, final long eager) {
        this.radix = radix;
        this.segment = segment;
        this.eager = eager;
    }

    @Override
    public void plan(final Call.ReduceScatter call, final AdvancedPlan plan) {
        final Blocks blocks = call.blocks();
        final long total = blocks.total();
        if (total == 0) {
            return;
        }
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final int rank = plan.rank();
        final int top = tree.top();
        final boolean isShort = total <= eager;
        if (isShort) {
            plan.shared(total, IntStream.of(tree.readers(rank)).filter(r -> rank < top || blocks.bytes(r) > 0).toArray());
        } else if (tree.level(rank) > 0) {
            plan.scratch(total);
        }
        final BufferRange sums = (isShort ? Buffer.SHARED : Buffer.SCRATCH).at(0, total);
        plan.post(CanonicalReduction.alongTree(plan, call.reduction(), segment, tree, call.input(),
            r -> isShort || tree.level(r) > 0 ? sums : call.input()));
        final BufferRange result = Buffer.RECV.at(0, blocks.bytes(rank));
        final BufferRange block = sums.slice(blocks.offset(rank), result.bytes());
        final List<Task> read = new ArrayList<>();
        if (rank < top && (!isShort || result.bytes() > 0)) {
            final Task available = plan.await(top, 0);
            read.add(result.bytes() > 0 ? plan.get(top, block, result, available) : available);
        } else if (result.bytes() > 0) {
            plan.copy(block, result);
        }
        if (!isShort) {
            BufferRelease.plan(plan, tree, top, r -> 1, read.toArray(Task[]::new));
        }
    }
}
