package tutti.coll.tree;

/** Dependencies of a task, as arrays of task ids. */
final class Dependencies {
    static final int[] NONE = {};

    private Dependencies() {}

    static int[] of(final int... tasks) {
        return tasks;
    }
}
