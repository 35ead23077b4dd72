package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Segments;

/**
 * Pipelined broadcast down a tree, k-nomial or k-ary.
 *
 * <p>Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, Performance analysis of MPI collective
 * operations, Cluster Computing 10(2), 2007, doi:10.1007/s10586-007-0012-0 (there: binary and binomial trees, in segments).
 * <p>Idea: virtual ranks are counted from the root. A rank sends a segment to its children, the deepest subtree first, while it receives the next
 * one. In a k-nomial tree the root has the most children, in a k-ary tree all ranks have k: that is better the more segments there are.
 * <pre>
 *   5 ranks, root 0, k = 2      k-nomial   step 1:  0 →a→ 4         k-ary   step 1:  0 →a→ 3
 *   one segment a                          step 2:  0 →a→ 2                 step 2:  0 →a→ 1, 3 →a→ 4
 *                                          step 3:  0 →a→ 1, 2 →a→ 3        step 3:  1 →a→ 2
 * </pre>
 * <p>Cost for p ranks, n bytes in s segments of one length: k-nomial, p = k^d: s(k-1)d(α + (n/s)β); other p: at most that with d = ⌈log_k p⌉.
 * k-ary, p = 1 + k + … + k^d: k(d-1+s)(α + (n/s)β); other p: at most that of the next such number. (p-1)s messages.
 * <p>Needs: nothing; any p, any root, any n.
 * <p>Memory: none.
 */
final class TreeBcast implements Algorithm<Call.Bcast> {
    private final TreeShape shape;
    private final long segment;

    /** @param segment length of a segment in bytes */
    TreeBcast(final TreeShape shape, final long segment) {
        this.shape = shape;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Bcast call, final Plan plan) {
        final RootedTree tree = RootedTree.of(shape, plan, call.root());
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        final Segments segments = TreeSegments.of(segment, call.bytes(), 1, shape.degree(plan.size()));
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange part = segments.of(data, i);
            if (!tree.isRoot()) {
                plan.recv(part, tree.parent());
            }
            tree.sendToChildren(plan, part);
        }
    }
}
