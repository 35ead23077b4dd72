package tutti.coll.tree;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

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
        final BufferRange own = Buffer.RECV.at(0, call.recvBytes());
        if (tree.isRoot()) {
            for (int i = tree.children() - 1; i >= 0; i--) {
                for (final BufferRange part : tree.blocksOf(i, Buffer.SEND, blocks)) {
                    plan.send(part, tree.child(i));
                }
            }
            if (!call.inPlace()) {
                plan.copy(blocks.in(Buffer.SEND, call.root()), own);
            }
            return;
        }
        final BufferRange scattered = tree.children() == 0 ? own : plan.scratch(tree.node().members() * own.bytes());
        for (final BufferRange part : tree.messages(scattered)) {
            plan.recv(part, tree.parent());
        }
        for (int i = tree.children() - 1; i >= 0; i--) {
            plan.send(tree.blocksOf(i, scattered), tree.child(i));
        }
        if (tree.children() > 0) {
            plan.copy(scattered.slice(0, own.bytes()), own);
        }
    }
}
