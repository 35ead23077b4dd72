package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Binomial reduce to rank 0, then binomial scatter of the result, blocks of any sizes.
 *
 * <p>Source: both halves as in {@link BinomialReduce} and {@link BinomialScatter}; joining them is textbook.
 * <p>Idea: every rank knows all block sizes, so the result can go down the same tree that the contributions came up.
 * <pre>
 *   5 ranks     up:    0 ← 1,  2 ← 3;   0 ← 2;          0 ← 4
 *               down:  0 → 4 [4];       0 → 2 [2 3];    0 → 1 [1],  2 → 3 [3]
 * </pre>
 * <p>Cost for p ranks, contributions of n bytes, blocks of n/p: 2⌈log2 p⌉ α + (⌈log2 p⌉ + (p-1)/p) nβ + ⌈log2 p⌉ nγ, p = 2^k and
 * other alike; 2(p-1) messages, fewer where blocks are empty.
 * <p>Needs: nothing; any p, any block sizes; keeps the order of ranks.
 * <p>Memory: 2n bytes at most for reducing, and the subtree's part of the result.
 */
final class BinomialReduceScatter implements Algorithm<Call.ReduceScatter> {
    static final String NAME = "binomial";

    @Override
    public void plan(final Call.ReduceScatter call, final Plan plan) {
        if (call.blocks().total() == 0) {
            return;
        }
        final DependencyTracker flow = new DependencyTracker(plan);
        final BinomialReduceTree tree = BinomialReduceTree.of(plan.rank(), plan.size(), 0, false);
        final RunningReduction fold = new RunningReduction(flow, call.reduction(), call.input(), null, tree.higher().length, true);
        for (final int child : tree.higher()) {
            fold.higher(child);
        }
        if (tree.parent() < 0) {
            scatter(call, plan, flow, fold.finish());
        } else {
            fold.send(tree.parent());
            scatter(call, plan, flow, received(call, plan, flow, tree.parent()));
        }
    }

    /** The subtree's part of the result, from the parent. */
    private static BufferRange received(final Call.ReduceScatter call, final Plan plan, final DependencyTracker flow, final int parent) {
        final boolean leaf = Binomial.children(plan.rank(), plan.size()) == 0;
        final long bytes = runBytes(call.blocks(), plan.rank(), plan.size());
        final BufferRange part = leaf ? Buffer.RECV.at(0, bytes) : flow.scratch(bytes);
        if (bytes > 0) {
            flow.recv(part, parent);
        }
        return part;
    }

    private static void scatter(final Call.ReduceScatter call, final Plan plan, final DependencyTracker flow, final BufferRange part) {
        final Blocks blocks = call.blocks();
        final int rank = plan.rank();
        for (int i = Binomial.children(rank, plan.size()) - 1; i >= 0; i--) {
            final int child = rank + (1 << i);
            final long bytes = runBytes(blocks, child, plan.size());
            if (bytes > 0) {
                flow.send(part.slice(blocks.offset(child) - blocks.offset(rank), bytes), child);
            }
        }
        final BufferRange own = Buffer.RECV.at(0, blocks.bytes(rank));
        if (part.buffer() != Buffer.RECV && own.bytes() > 0) {
            flow.copy(part.slice(0, own.bytes()), own);
        }
    }

    /** The bytes of all blocks in the subtree of {@code v}. */
    static long runBytes(final Blocks blocks, final int v, final int size) {
        final int last = v + Binomial.subtree(v, size) - 1;
        return blocks.offset(last) + blocks.bytes(last) - blocks.offset(v);
    }
}
