package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * The sum of all contributions, made along a tree: where runs of ranks come together, the sum grows from the right.
 *
 * @param tree      along which
 * @param reduction what is applied
 * @param input     where contributions lie, the same on every rank
 * @param place     where sums lie, the same on every rank where runs come together; may be {@code input}
 * @param segment   bytes that are combined at a time
 */
record TreeReduction(FanInTree tree, Reduction reduction, BufferRange input, BufferRange place, long segment) {

    /** Combines what comes together at the planning rank; returns what must be done before it lies where its parent reads it. */
    int[] plan(final Plan plan) {
        final int rank = plan.rank();
        if (tree.level(rank) == 0) {
            return Dependencies.NONE;
        }
        final CanonicalReduction sums = new CanonicalReduction(plan, reduction, Math.min(tree.radix(), tree.size()), place.bytes(), segment);
        BufferRange own = input;
        int[] done = Dependencies.NONE;
        for (int level = 1; level <= tree.level(rank); level++) {
            final List<ReductionOperand> operands = new ArrayList<>();
            for (final int r : tree.values(rank, level)) {
                operands.add(r == rank ? new ReductionOperand(ReductionOperand.OWN, own, done)
                    : Contributions.of(plan, r, tree.level(r) == 0 ? input : place));
            }
            done = operands.size() == 1 && own.equals(place) ? done : sums.plan(operands, place);
            own = place;
        }
        return done;
    }
}
