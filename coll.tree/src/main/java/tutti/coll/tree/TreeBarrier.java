package tutti.coll.tree;

import tutti.coll.Algorithm;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.Task;

/**
 * Barrier along a tree, k-nomial or k-ary.
 *
 * <p>Source: J. M. Mellor-Crummey, M. L. Scott, Algorithms for scalable synchronization on shared-memory multiprocessors, ACM Transactions on
 * Computer Systems 9(1), 1991, doi:10.1145/103727.103729 (there: tree barrier, in shared memory).
 * <p>Idea: a rank notifies its parent when it and all its children have entered; when the root has all notifications, it notifies its children, and
 * so on down. No barrier has fewer messages; the longest path is twice that of the dissemination barrier.
 * <pre>
 *   5 ranks, k = 2, k-nomial    up:    0 ← 1, 2 ← 3;   0 ← 2;   0 ← 4
 *                               down:  0 → 4;   0 → 2;   0 → 1, 2 → 3
 * </pre>
 * <p>Cost for p ranks: k-nomial, p = k^d: 2(k-1)dα; other p: at most that with d = ⌈log_k p⌉. k-ary, p = 1 + k + … + k^d: 2kdα; other p: at most
 * that of the next such number. 2(p-1) empty messages.
 * <p>Needs: nothing; any p.
 * <p>Memory: none.
 */
final class TreeBarrier implements Algorithm<Call.Barrier> {
    private final TreeShape shape;

    TreeBarrier(final TreeShape shape) {
        this.shape = shape;
    }

    @Override
    public void plan(final Call.Barrier call, final Plan plan) {
        final RootedTree tree = RootedTree.of(shape, plan, 0);
        final BufferRange empty = plan.scratch(0);
        final Task[] received = new Task[tree.children()];
        for (int i = 0; i < received.length; i++) {
            received[i] = plan.recv(empty, tree.child(i));
        }
        if (tree.isRoot()) {
            tree.sendToChildren(plan, empty, received);
        } else {
            plan.send(empty, tree.parent(), received);
            tree.sendToChildren(plan, empty, plan.recv(empty, tree.parent()));
        }
    }
}
