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
 * Binomial reduce: in every round half of the ranks send their value to a partner that combines the two.
 *
 * <p>Source: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective communication: theory, practice, and experience,
 * Concurrency and Computation: Practice and Experience 19(13), 2007, doi:10.1002/cpe.1206 (minimum spanning tree reduce). The second
 * tree of the ordered case is new in this module.
 * <p>Idea: a subtree consists of consecutive ranks, and children are combined from the nearest to the farthest, so operands keep the order of
 * ranks. If the operation does not commute, the ranks below the root form a tree of their own. The root combines its result last: see
 * {@link BinomialReduceTree}.
 * <pre>
 *   5 ranks, root 0     round 1:  0 ← 1,  2 ← 3        (0 1) (2 3) 4
 *                       round 2:  0 ← 2                (0 1 2 3) 4
 *                       round 3:  0 ← 4                (0 1 2 3 4)
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ + nγ), p = 2^k and other p alike; one round more at most where the operation does not
 * commute and the root is not rank 0; p-1 messages.
 * <p>Needs: nothing; any p, any root; keeps the order of ranks where the operation does not commute.
 * <p>Memory: 2n bytes at most.
 */
final class BinomialReduce implements Algorithm<Call.Reduce> {
    static final String NAME = "binomial";

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final boolean commutative = reduction.isCommutative();
        final BinomialReduceTree tree = BinomialReduceTree.of(plan.rank(), plan.size(), call.root(), commutative);
        final BufferRange out = tree.parent() < 0 ? Buffer.RECV.at(0, call.bytes()) : null;
        final RunningReduction partial = new RunningReduction(new DataTasks(plan), reduction, call.input(), out, tree.higher().length,
            !commutative);
        for (final int child : tree.higher()) {
            partial.higher(child);
        }
        if (tree.lower() >= 0) {
            partial.lower(tree.lower());
        }
        if (tree.parent() < 0) {
            partial.finish();
        } else {
            partial.send(tree.parent());
        }
    }
}
