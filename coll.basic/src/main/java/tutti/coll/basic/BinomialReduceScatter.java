package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;

/**
 * Binomial reduce to rank 0, then binomial scatter of the result, blocks of any sizes.
 *
 * <p>Source: both phases as in {@link BinomialReduce} and {@link BinomialScatter}; combined as in Open MPI's algorithm {@code non-overlapping}.
 * <p>Idea: every rank knows all block sizes, so the result can be sent down the tree along which the contributions were sent up.
 * <pre>
 *   5 ranks     up:    0 ← 1,  2 ← 3;   0 ← 2;          0 ← 4
 *               down:  0 → 4 [4];       0 → 2 [2 3];    0 → 1 [1],  2 → 3 [3]
 * </pre>
 * <p>Cost for p ranks, contributions of n bytes, blocks of n/p: 2⌈log2 p⌉ α + (⌈log2 p⌉ + (p-1)/p) nβ + ⌈log2 p⌉ nγ, p = 2^k and
 * other p alike; 2(p-1) messages, fewer where blocks are empty.
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
        final DataTasks tasks = new DataTasks(plan);
        final BinomialReduceTree tree = BinomialReduceTree.of(plan.rank(), plan.size(), 0, false);
        final RunningReduction partial = new RunningReduction(tasks, call.reduction(), call.input(), null, tree.higher().length, true);
        for (final int child : tree.higher()) {
            partial.higher(child);
        }
        if (tree.parent() < 0) {
            scatter(call, plan, tasks, partial.finish());
        } else {
            partial.send(tree.parent());
            scatter(call, plan, tasks, received(call, plan, tasks, tree.parent()));
        }
    }

    /** Plans to receive the subtree's part of the result from the parent, and returns its range. */
    private static BufferRange received(final Call.ReduceScatter call, final Plan plan, final DataTasks tasks, final int parent) {
        final boolean leaf = Binomial.children(plan.rank(), plan.size()) == 0;
        final long bytes = runBytes(call.blocks(), plan.rank(), plan.size());
        final BufferRange part = leaf ? Buffer.RECV.at(0, bytes) : tasks.plan().scratch(bytes);
        if (bytes > 0) {
            tasks.recv(part, parent);
        }
        return part;
    }

    private static void scatter(final Call.ReduceScatter call, final Plan plan, final DataTasks tasks, final BufferRange part) {
        final Blocks blocks = call.blocks();
        final int rank = plan.rank();
        for (int i = Binomial.children(rank, plan.size()) - 1; i >= 0; i--) {
            final int child = rank + (1 << i);
            final long bytes = runBytes(blocks, child, plan.size());
            if (bytes > 0) {
                tasks.send(part.slice(blocks.offset(child) - blocks.offset(rank), bytes), child);
            }
        }
        final BufferRange own = Buffer.RECV.at(0, blocks.bytes(rank));
        if (part.buffer() != Buffer.RECV && own.bytes() > 0) {
            tasks.copy(part.slice(0, own.bytes()), own);
        }
    }

    /** Returns the number of bytes in all blocks of the subtree of {@code v}. */
    static long runBytes(final Blocks blocks, final int v, final int size) {
        final int last = v + Binomial.subtree(v, size) - 1;
        return blocks.offset(last) + blocks.bytes(last) - blocks.offset(v);
    }
}
