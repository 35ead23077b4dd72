package tutti.coll.tree;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.Segments;

/**
 * Pipelined reduce along a tree, k-nomial or k-ary.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: binary and binomial trees, in segments). The canonical brackets
 * are not from there.
 * <p>Idea: a rank combines its children's values of a segment, the nearest child first, and sends the sum to its parent while the next segment
 * arrives. Subtrees are consecutive ranks, so operands keep their order. Where the operation commutes, virtual ranks are counted from the root. Where
 * it does not, or results are to be canonical, the tree is rooted at rank 0, which sends the result to the root. The canonical variant combines the
 * children of a level in pairs.
 * <pre>
 *   5 ranks, root 0, k = 2, k-nomial     step 1:  0 ← 1, 2 ← 3        (0 1) (2 3) 4
 *                                        step 2:  0 ← 2               (0 1 2 3) 4
 *                                        step 3:  0 ← 4               (0 1 2 3 4)
 * </pre>
 * <p>Cost for p ranks, n bytes in s segments of one length, where combining costs nothing: k-nomial, p = k^d: s(k-1)d(α + (n/s)β); other p: at most
 * that with d = ⌈log_k p⌉. k-ary, p = 1 + k + … + k^d: k(d-1+s)(α + (n/s)β); other p: at most that of the next such number. Where s > 1 at most
 * kd(α + (n/s)β) more, since a child may be received from ahead of its turn; sending to the root: at most α + nβ where s = 1, else overlapped. One
 * segment where combining is no slower than transferring: at most dnγ more, canonical d(log2 k)nγ. (p-1)s messages, ps where the result is sent to
 * the root.
 * <p>Needs: nothing; any p, any root, any n; keeps the order of ranks where the operation does not commute.
 * <p>Memory: at most 4 segments; canonical log2 k + 3.
 */
final class TreeReduce implements Algorithm<Call.Reduce> {
    /** Name of the canonical variant. */
    static final String CANONICAL = "canonical";

    private final TreeShape shape;
    private final long segment;
    private final boolean canonical;

    /**
     * @param segment   length of a segment in bytes
     * @param canonical whether to combine in canonical order for every call, if the shape allows it
     */
    TreeReduce(final TreeShape shape, final long segment, final boolean canonical) {
        this.shape = shape;
        this.segment = segment;
        this.canonical = canonical;
    }

    @Override
    public void plan(final Call.Reduce call, final Plan plan) {
        final Reduction reduction = Objects.requireNonNull(call.reduction(), "who takes part knows the reduction");
        final boolean fromRoot = !canonical && reduction.isCommutative();
        final RootedTree tree = RootedTree.of(shape, plan, fromRoot ? call.root() : 0);
        final Segments segments = TreeSegments.of(segment, call.bytes(), reduction.elementBytes(), shape.degree(plan.size()));
        final ChildReduction children = new ChildReduction(plan, tree, reduction, canonical, segments.longest(call.bytes()));
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (tree.isRoot() && plan.rank() == call.root()) {
                children.finish(own, out, !fromRoot);
            } else {
                children.send(children.sum(own, null), tree.isRoot() ? call.root() : tree.parent());
                if (plan.rank() == call.root()) {
                    plan.recv(out, tree.root());
                }
            }
        }
    }
}
