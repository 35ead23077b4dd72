package tutti.coll.basic;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;

/**
 * Binomial reduce to rank 0, then binomial broadcast of the result.
 *
 * <p>Source: both phases as in {@link BinomialReduce} and {@link BinomialBcast}; combined as in Open MPI's allreduce {@code nonoverlapping}.
 * <p>Idea: the result is sent down the tree along which the contributions were sent up, so there is one result with one set of brackets.
 * <pre>
 *   5 ranks     up:    0 ← 1,  2 ← 3;   0 ← 2;   0 ← 4
 *               down:  0 → 4;   0 → 2;   0 → 1,  2 → 3
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (2α + 2nβ + nγ), p = 2^k and other p alike; 2(p-1) messages.
 * <p>Needs: nothing; any p; its brackets are canonical.
 * <p>Memory: 2n bytes at most.
 */
final class ReduceBcastAllreduce implements Algorithm<Call.Allreduce> {
    static final String NAME = "reduce_bcast";

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final BinomialReduceTree tree = BinomialReduceTree.of(plan.rank(), plan.size(), 0, false);
        final BufferRange result = Buffer.RECV.at(0, call.bytes());
        final DataTasks tasks = new DataTasks(plan);
        final int[] children = tree.higher();
        final RunningReduction partial = new RunningReduction(tasks, call.reduction(), call.input(), tree.parent() < 0 ? result : null,
            children.length, true);
        for (final int child : children) {
            partial.higher(child);
        }
        if (tree.parent() < 0) {
            partial.finish();
        } else {
            partial.send(tree.parent());
            tasks.recv(result, tree.parent());
        }
        for (int i = children.length - 1; i >= 0; i--) {
            tasks.send(result, children[i]);
        }
    }
}
