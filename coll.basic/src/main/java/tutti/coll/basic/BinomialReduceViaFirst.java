package tutti.coll.basic;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.DataTasks;

/**
 * Binomial reduce to rank 0, which sends the result to the root.
 *
 * <p>Source: as {@link BinomialReduce}; the last step as in MPICH's {@code reduce_intra_binomial} for operations that do not commute.
 * <p>Idea: the tree does not depend on the root, nor do the brackets. A subtree of 2^k ranks starts at a multiple of 2^k.
 * <pre>
 *   5 ranks, root 3     round 1:  0 ← 1,  2 ← 3        (0 1) (2 3) 4
 *                       round 2:  0 ← 2                ((0 1) (2 3)) 4
 *                       round 3:  0 ← 4                (((0 1) (2 3)) 4)
 *                       round 4:  0 → 3
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ + nγ), p = 2^k and other p alike; where the root is not rank 0, one α + nβ and one message
 * more; p-1 messages.
 * <p>Needs: nothing; any p, any root; its brackets are canonical.
 * <p>Memory: 2n bytes at most.
 */
final class BinomialReduceViaFirst implements Algorithm<Call.Reduce> {
    static final String NAME = "first";

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final BinomialReduceTree tree = BinomialReduceTree.of(plan.rank(), plan.size(), 0, false);
        final BufferRange out = plan.rank() == call.root() ? Buffer.RECV.at(0, call.bytes()) : null;
        final DataTasks tasks = new DataTasks(plan);
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final RunningReduction partial =
            new RunningReduction(tasks, reduction, call.input(), tree.parent() < 0 ? out : null, tree.higher().length, true);
        for (final int child : tree.higher()) {
            partial.higher(child);
        }
        if (tree.parent() >= 0) {
            partial.send(tree.parent());
            if (out != null) {
                tasks.recv(out, 0);
            }
        } else if (out != null) {
            partial.finish();
        } else {
            partial.send(call.root());
        }
    }
}
