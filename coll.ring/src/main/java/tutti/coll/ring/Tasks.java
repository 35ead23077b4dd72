package tutti.coll.ring;

/** What a task comes after: none, or one or two others. */
final class Tasks {
    static final int[] NONE = {};

    private Tasks() { }

    static int[] of(final int... tasks) {
        return tasks;
    }
}
