package tutti.coll.tree;

import java.util.Objects;
import tutti.coll.Algorithm;
import tutti.coll.Blocks;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * Gather along a tree, k-nomial or k-ary: each rank collects the blocks of its subtree and sends them on together.
 *
 * <p>Source: S. L. Johnsson, C.-T. Ho, Optimum broadcasting and personalized communication in hypercubes, IEEE Transactions on Computers
 * 38(9), 1989, doi:10.1109/12.29465 (there: k = 2).
 * <p>Idea: virtual ranks are counted from the root, and a subtree is consecutive ranks. The root receives every subtree directly in its receive
 * buffer. A subtree that wraps around at rank p-1 arrives at the root as two messages, so that nothing is copied there. A larger k means fewer
 * levels, and so fewer copies on the way.
 * <pre>
 *   5 ranks, root 0, k = 3, k-nomial     1 → 0 [1],  4 → 3 [4],  then  2 → 0 [2],  then  3 → 0 [3 4]
 * </pre>
 * <p>Cost for p ranks, blocks of n bytes: k-nomial, p = k^d: (k-1)dα + (p-1)nβ; other p: at most that with d = ⌈log_k p⌉ and one more α, where a
 * subtree of the root's children wraps around. k-ary, p = 1 + k + … + k^d: kdα + (k/(k-1))(p-1-d)nβ; other p: at most that of the next such number
 * and one more α. p-1 messages, one more where a subtree of the root's children wraps around.
 * <p>Needs: blocks of one size, one after the other; any p, any root.
 * <p>Memory: the blocks of the subtree; none at the root and at leaves.
 */
final class TreeGather implements Algorithm<Call.Gather> {
    private final TreeShape shape;

    TreeGather(final TreeShape shape) {
        this.shape = shape;
    }

    @Override
    public void plan(final Call.Gather call, final Plan plan) {
        final Blocks blocks = Objects.requireNonNull(call.recv(), "every rank of a gather knows the blocks");
        if (blocks.bytes(0) == 0) {
            return;
        }
        final RootedTree tree = RootedTree.of(shape, plan, call.root());
        if (tree.isRoot()) {
            for (int i = 0; i < tree.children(); i++) {
                for (final BufferRange part : tree.blocksOf(i, Buffer.RECV, blocks)) {
                    plan.recv(part, tree.child(i));
                }
            }
            if (!call.inPlace()) {
                plan.copy(call.input(call.root()), blocks.in(Buffer.RECV, call.root()));
            }
            return;
        }
        BufferRange gathered = call.input(plan.rank());
        if (tree.children() > 0) {
            gathered = plan.scratch(tree.node().members() * call.sendBytes());
            plan.copy(call.input(plan.rank()), gathered.slice(0, call.sendBytes()));
        }
        for (int i = 0; i < tree.children(); i++) {
            plan.recv(tree.blocksOf(i, gathered), tree.child(i));
        }
        for (final BufferRange part : tree.messages(gathered)) {
            plan.send(part, tree.parent());
        }
    }
}
