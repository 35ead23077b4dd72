package tutti.coll.tree;

/** What a task comes after. */
final class Dependencies {
    static final int[] NONE = {};

    private Dependencies() { }

    static int[] of(final int... tasks) {
        return tasks;
    }
}
