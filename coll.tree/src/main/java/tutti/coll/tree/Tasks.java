package tutti.coll.tree;

/** What a task comes after. */
final class Tasks {
    static final int[] NONE = {};

    private Tasks() { }

    static int[] of(final int... tasks) {
        return tasks;
    }
}
