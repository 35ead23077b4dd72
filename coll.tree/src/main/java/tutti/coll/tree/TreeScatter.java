package tutti.coll.tree;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.CyclicRange;
import tutti.coll.patterns.Dependencies;

/**
 * Scatter along a tree, k-nomial or k-ary: each rank receives the blocks of its subtree together and sends them on to its children.
 *
 * <p>Source: S. L. Johnsson, C.-T. Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE Transactions on Computers
 * 38(9), 1989, doi:10.1109/12.29465 (there: k = 2).
 * <p>Idea: {@link TreeGather} in reverse. The root sends every subtree from its send buffer. A subtree that wraps around at rank p-1 is sent as two
 * messages, so that nothing is copied at the root, and one part is sent on before the other has arrived.
 * <pre>
 *   5 ranks, root 0, k = 3, k-nomial     0 → 3 [3 4],  then  0 → 2 [2], 3 → 4 [4],  then  0 → 1 [1]
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: k-nomial, p = k^d, root 0: (k-1)dα + (p-1)nβ; k-ary, p = 1 + k + … + k^d, root 0:
 * kdα + (k/(k-1))(p-1-d)nβ; other p: at most that of the next such number. Other root: at most 2α and pnβ more. p-1 messages, one more where
 * a subtree of the root's children wraps around.
 * <p>Needs: blocks of one size, one after the other; any p, any root.
 * <p>Memory: the blocks of the subtree; none at the root and at leaves.
 */
final class TreeScatter implements Algorithm<Call.Scatter> {
    private final TreeShape shape;

    TreeScatter(final TreeShape shape) {
        this.shape = shape;
    }

    @Override
    public void plan(final Call.Scatter call, final Plan plan) {
        final Blocks blocks = Objects.requireNonNull(call.send(), "every rank of a scatter knows the blocks");
        if (blocks.bytes(0) == 0) {
            return;
        }
        final RootedTree tree = RootedTree.of(shape, plan, call.root());
        if (tree.isRoot()) {
            planRoot(call, blocks, plan, tree);
        } else {
            planOther(call, plan, tree);
        }
    }

    private static void planRoot(final Call.Scatter call, final Blocks blocks, final Plan plan, final RootedTree tree) {
        for (int i = tree.children() - 1; i >= 0; i--) {
            for (final CyclicRange.Segment part : tree.ranges(i, Buffer.SEND, blocks)) {
                plan.send(part.range(), tree.child(i));
            }
        }
        if (!call.inPlace()) {
            plan.copy(blocks.in(Buffer.SEND, call.root()), Buffer.RECV.at(0, call.recvBytes()));
        }
    }

    private static void planOther(final Call.Scatter call, final Plan plan, final RootedTree tree) {
        final TreeNode node = tree.node();
        final long bytes = call.recvBytes();
        final BufferRange own = Buffer.RECV.at(0, bytes);
        final BufferRange range = tree.children() == 0 ? own : plan.scratch(node.members() * bytes);
        final long head = tree.head() * bytes;
        final int first = plan.recv(range.slice(0, head), tree.parent());
        final int second = head < range.bytes() ? plan.recv(range.slice(head, range.bytes() - head), tree.parent()) : -1;
        for (int i = tree.children() - 1; i >= 0; i--) {
            final int child = node.children()[i];
            final long from = (child - node.rank()) * bytes;
            final long end = (node.endOf(i) - node.rank()) * bytes;
            plan.send(range.slice(from, end - from), tree.child(i), dependencies(from, end, head, first, second));
        }
        if (tree.children() > 0) {
            plan.copy(range.slice(0, bytes), own, first);
        }
    }

    /** Returns the tasks that a part of the range depends on, out of the receives of the two messages. */
    private static int[] dependencies(final long from, final long end, final long head, final int first, final int second) {
        if (end <= head) {
            return Dependencies.of(first);
        }
        return from >= head ? Dependencies.of(second) : Dependencies.of(first, second);
    }
}
