package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Dependencies;

/**
 * A reduction over all ranks of a node along a fan-in tree. Each inner rank combines the operands of its subtree from the highest rank down.
 *
 * @param tree      the tree
 * @param reduction the reduction
 * @param input     range of the contribution, the same on every rank
 * @param partial   range of the partial results, the same on every inner rank of the tree; may be {@code input}; in shared memory, leaves copy their
 *                  contribution to it
 * @param segment   bytes that are combined at a time
 */
record TreeReduction(FanInTree tree, Reduction reduction, BufferRange input, BufferRange partial, long segment) {

    /** Plans the planning rank's part. Returns the tasks after which the partial result is where the parent reads it. */
    int[] plan(final Plan plan) {
        final int rank = plan.rank();
        final boolean isCopied = partial.buffer() == Buffer.SHARED;
        if (tree.level(rank) == 0) {
            return isCopied ? Dependencies.of(plan.copy(input, partial)) : Dependencies.NONE;
        }
        final CanonicalReduction sums = new CanonicalReduction(plan, reduction, Math.min(tree.radix(), tree.size()), partial.bytes(), segment);
        BufferRange own = input;
        int[] done = Dependencies.NONE;
        for (int level = 1; level <= tree.level(rank); level++) {
            final List<ReductionOperand> operands = new ArrayList<>();
            for (final int r : tree.values(rank, level)) {
                operands.add(r == rank ? new ReductionOperand(ReductionOperand.OWN, own, done)
                    : Contributions.of(plan, r, tree.level(r) == 0 && !isCopied ? input : partial));
            }
            done = operands.size() == 1 && own.equals(partial) ? done : sums.plan(operands, partial);
            own = partial;
        }
        return done;
    }
}
