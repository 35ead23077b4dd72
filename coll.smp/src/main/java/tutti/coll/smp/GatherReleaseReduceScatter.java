package tutti.coll.smp;

import java.util.stream.IntStream;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

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
final class GatherReleaseReduceScatter implements Algorithm<Call.ReduceScatter> {
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
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        final Blocks blocks = call.blocks();
        if (blocks.total() == 0) {
            return;
        }
        final FanInTree tree = new FanInTree(plan.size(), radix);
        final int rank = plan.rank();
        final int top = tree.top();
        if (blocks.total() <= eager) {
            planShort(call, plan, tree);
            return;
        }
        final BufferRange place = tree.level(rank) > 0 ? plan.scratch(blocks.total()) : Buffer.SCRATCH.at(0, blocks.total());
        final int[] sum = new TreeReduction(tree, call.reduction(), call.input(), place, segment).plan(plan);
        plan.post(sum);
        final BufferRange result = Buffer.RECV.at(0, blocks.bytes(rank));
        final BufferRange block = place.slice(blocks.offset(rank), blocks.bytes(rank));
        final Dependencies read = new Dependencies();
        if (rank == top) {
            if (result.bytes() > 0) {
                plan.copy(block, result, sum);
            }
        } else {
            final int available = plan.await(top, 0);
            read.add(result.bytes() > 0 ? plan.get(top, block, result, new Dependencies().add(sum).add(available).all()) : available);
        }
        for (final int child : tree.children(rank)) {
            read.add(plan.await(child, 1));
        }
        if (rank != top) {
            plan.post(read.all());
        }
    }

    private void planShort(final Call.ReduceScatter call, final Plan plan, final FanInTree tree) {
        final Blocks blocks = call.blocks();
        final int rank = plan.rank();
        final int top = tree.top();
        final int[] readers = tree.readers(rank);
        final BufferRange sums = plan.shared(blocks.total(),
            rank == top ? IntStream.of(readers).filter(r -> blocks.bytes(r) > 0).toArray() : readers);
        final int[] sum = new TreeReduction(tree, call.reduction(), call.input(), sums, segment).plan(plan);
        plan.post(sum);
        if (blocks.bytes(rank) > 0) {
            final BufferRange block = blocks.in(Buffer.SHARED, rank);
            final BufferRange result = Buffer.RECV.at(0, blocks.bytes(rank));
            if (rank == top) {
                plan.copy(block, result, sum);
            } else {
                plan.get(top, block, result, new Dependencies().add(sum).add(plan.await(top, 0)).all());
            }
        }
    }
}
