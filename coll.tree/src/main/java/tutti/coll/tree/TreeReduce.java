package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Pipelined reduce up a tree, k-nomial or k-ary.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: binary and binomial trees, in segments). The brackets are this
 * module's own.
 * <p>Idea: a rank takes in what its children send of a segment, the nearest first, and hands the sum to its parent while the next segment arrives.
 * Subtrees are runs of ranks, so operands keep their order. Where the operation commutes, ranks are counted from the root; where it does not, or
 * results are to be canonical, from rank 0, which passes the result on to the root. The canonical one combines the children of a level in pairs.
 * <pre>
 *   5 ranks, root 0, k = 2, k-nomial     step 1:  0 ← 1, 2 ← 3        (0 1) (2 3) 4
 *                                        step 2:  0 ← 2               (0 1 2 3) 4
 *                                        step 3:  0 ← 4               (0 1 2 3 4)
 * </pre>
 * <p>Cost for p ranks, n bytes in s segments of one length, where combining costs nothing: k-nomial, p = k^d: s(k-1)d(α + (n/s)β); other: at most
 * that with d = ⌈log_k p⌉. k-ary, p = 1 + k + … + k^d: k(d-1+s)(α + (n/s)β); other: at most that of the next such number. Where s > 1 at most
 * kd(α + (n/s)β) more, since a child may be served ahead of its turn; passing on: α + nβ at most where s = 1, else hidden in that. One
 * segment, combining no slower than moving: at most dnγ more, canonical d(log2 k)nγ. (p-1)s messages, ps where the result is passed on.
 * <p>Needs: nothing; any p, any root, any n; keeps the order of ranks where the operation does not commute.
 * <p>Memory: 4 segments at most; canonical log2 k + 3.
 */
final class TreeReduce implements Algorithm<Call.Reduce> {
    /** The name of the canonical one. */
    static final String CANONICAL = "canonical";

    private final TreeShape shape;
    private final long segment;
    private final boolean canonical;

    /**
     * @param segment   bytes of a segment
     * @param canonical whether the ranks are combined in the canonical way, whatever the call, if the shape allows it
     */
    TreeReduce(final TreeShape shape, final long segment, final boolean canonical) {
        this.shape = shape;
        this.segment = segment;
        this.canonical = canonical;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final boolean turned = !canonical && call.reduction().isCommutative();
        final RootedTree tree = RootedTree.of(shape, plan, turned ? call.root() : 0);
        final Segments segments = Segments.of(segment, call.bytes(), call.reduction().elementBytes(), shape.degree(plan.size()));
        final ChildReduction fold = new ChildReduction(plan, tree, call.reduction(), canonical ? Bracketing.BALANCED : Bracketing.CHAIN,
            segments.longest(call.bytes()));
        for (int i = 0; i < segments.count(); i++) {
            final BufferRange own = segments.of(call.input(), i);
            if (plan.rank() != call.root()) {
                fold.send(fold.sum(own, null), tree.isRoot() ? call.root() : tree.parent());
            } else if (tree.isRoot()) {
                fold.finish(own, segments.of(Buffer.RECV.at(0, call.bytes()), i), !turned);
            } else {
                final int sent = fold.send(fold.sum(own, null), tree.parent());
                final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
                plan.recv(out, tree.root(), call.inPlace() ? Dependencies.of(sent) : Dependencies.NONE);
            }
        }
    }
}
