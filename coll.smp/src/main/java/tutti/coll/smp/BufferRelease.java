package tutti.coll.smp;

import tutti.coll.Plan;
import tutti.coll.patterns.Dependencies;

/**
 * Plans the release of a rank's memory: the other ranks report along a tree that they have read it, so that no rank waits for many others.
 *
 * <p>Stateless.
 */
final class BufferRelease {
    private BufferRelease() {}

    /** Returns the index of a rank in a tree whose top is rank {@code top}. */
    static int indexOf(final int rank, final int top, final int size) {
        return rank > top ? rank - top - 1 : rank + size - top - 1;
    }

    /** Returns the rank at an index of the tree. */
    static int rankAt(final int index, final int top, final int size) {
        return (index + top + 1) % size;
    }

    /**
     * Plans the top's part: waits until all other ranks have released its memory.
     *
     * @param post index of the post by which a rank releases the memory
     */
    static void awaitRelease(final Plan plan, final FanInTree tree, final int post) {
        for (final int index : tree.children(tree.top())) {
            plan.await(rankAt(index, plan.rank(), tree.size()), post);
        }
    }

    /**
     * Plans the part of a rank other than the top: posts once its subtree has posted and its own tasks are complete.
     *
     * @param post index of the post by which each rank but the top releases the memory
     */
    static void release(final Plan plan, final FanInTree tree, final int top, final int post, final int... own) {
        final Dependencies after = new Dependencies().add(own);
        for (final int index : tree.children(indexOf(plan.rank(), top, tree.size()))) {
            after.add(plan.await(rankAt(index, top, tree.size()), post));
        }
        plan.post(after.all());
    }
}
