package tutti.coll.smp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import tutti.coll.Task;
import tutti.coll.advanced.AdvancedPlan;

/**
 * Plans the release of a rank's memory: the other ranks report along a tree that they have read it, so that no rank waits for many others.
 *
 * <p>Stateless.
 */
final class BufferRelease {
    private BufferRelease() {}

    /**
     * Plans this rank's part. The top waits until the others have read its memory. Another rank posts once it and its subtree have.
     *
     * @param tree the tree, whose ranks are counted from the one after {@code top}
     * @param top  the rank whose memory is released
     * @param post index of the post by which each rank but the top reports
     * @param read the tasks of this rank that read the memory
     */
    static void plan(final AdvancedPlan plan, final FanInTree tree, final int top, final IntUnaryOperator post, final Task... read) {
        final int size = tree.size();
        final List<Task> after = new ArrayList<>(List.of(read));
        for (final int index : tree.children((plan.rank() + size - top - 1) % size)) {
            final int child = (index + top + 1) % size;
            after.add(plan.await(child, post.applyAsInt(child)));
        }
        if (plan.rank() != top) {
            plan.post(after);
        }
    }
}
