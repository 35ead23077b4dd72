package tutti.coll.smp;

import tutti.coll.Plan;

/**
 * How a rank hears that the others are through with its memory. They tell it along a tree, so that no rank waits for many.
 *
 * <p>Stateless.
 */
final class BufferRelease {
    private BufferRelease() { }

    /** The place of a rank in a tree whose top is {@code top}. */
    static int place(final int rank, final int top, final int size) {
        return rank > top ? rank - top - 1 : rank + size - top - 1;
    }

    /** The rank at a place. */
    static int rankAt(final int place, final int top, final int size) {
        return (place + top + 1) % size;
    }

    /**
     * As the top: ends when all others have told.
     *
     * @param post the number of the post by which they do
     */
    static void hear(final Plan plan, final FanInTree tree, final int post) {
        for (final int place : tree.children(tree.top())) {
            plan.await(rankAt(place, plan.rank(), tree.size()), post);
        }
    }

    /**
     * As another rank: tells once those below have told and the own tasks are done.
     *
     * @param post the number of the post by which each rank but the top does
     */
    static void tell(final Plan plan, final FanInTree tree, final int top, final int post, final int... own) {
        final Dependencies after = new Dependencies().add(own);
        for (final int place : tree.children(place(plan.rank(), top, tree.size()))) {
            after.add(plan.await(rankAt(place, top, tree.size()), post));
        }
        plan.post(after.all());
    }
}
