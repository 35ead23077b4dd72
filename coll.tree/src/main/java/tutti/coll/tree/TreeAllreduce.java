package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.Segments;

/**
 * Pipelined allreduce along a tree, k-nomial or k-ary: reduces up to rank 0 and broadcasts down again.
 *
 * <p>Source: both phases as in {@link TreeReduce} and {@link TreeBcast}; here they overlap segment by segment.
 * <p>Idea: a segment is sent down as soon as it is complete, while later ones travel up: the two phases use the links in opposite directions.
 * Subtrees are consecutive ranks, so operands keep their order, and all ranks receive the bits of rank 0. In a k-nomial tree with k = 2^j the
 * children of a level are combined in pairs, so the brackets are canonical.
 * <pre>
 *   5 ranks, k = 2, k-ary     a up:    1 ← 2, 3 ← 4;   0 ← 1;   0 ← 3            ((0 (1 2)) (3 4))
 *                             a down:  0 → 3;   0 → 1, 3 → 4;   1 → 2            while b travels up
 * </pre>
 * <p>Cost for p ranks, n bytes in s segments of one length, where combining costs nothing: k-nomial, p = k^d: s = 1: 2(k-1)d(α + nβ); s > 1: at most
 * 2s(k-1)d(α + (n/s)β); other p: at most that with d = ⌈log_k p⌉. k-ary, p = 1 + k + … + k^d: s = 1: 2kd(α + nβ); s > 1: at most
 * (2kd + 3(s-1)k)(α + (n/s)β); other p: at most that of the next such number. One segment where combining is no slower than transferring: at most dnγ
 * more, canonical d(log2 k)nγ. 2(p-1)s messages.
 * <p>Needs: nothing; any p, any n; keeps the order of ranks.
 * <p>Memory: at most 4 segments; k-nomial with k = 2^j: j + 3.
 */
final class TreeAllreduce implements Algorithm<Call.Allreduce> {
    private final TreeShape shape;
    private final long segment;

    /** @param segment length of a segment in bytes */
    TreeAllreduce(final TreeShape shape, final long segment) {
        this.shape = shape;
        this.segment = segment;
    }

    @Override
    public void plan(final Call.Allreduce call, final Plan plan) {
        final RootedTree tree = RootedTree.of(shape, plan, 0);
        final Segments segments = TreeSegments.of(segment, call.bytes(), call.reduction().elementBytes(), shape.degree(plan.size()));
        final ChildReduction reduction = new ChildReduction(plan, tree, call.reduction(), shape.isCanonical(), segments.longest(call.bytes()));
        final boolean ordered = shape.isCanonical() || !call.reduction().isCommutative();
        for (int i = 0; i < segments.count(call.bytes()); i++) {
            final BufferRange own = segments.of(call.input(), i);
            final BufferRange out = segments.of(Buffer.RECV.at(0, call.bytes()), i);
            if (tree.isRoot()) {
                reduction.finish(own, out, ordered);
            } else {
                reduction.send(reduction.sum(own, call.inPlace() ? null : out), tree.parent());
                plan.recv(out, tree.parent());
            }
            tree.sendToChildren(plan, out);
        }
    }
}
