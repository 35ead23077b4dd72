package tutti.coll.patterns;

import java.util.Arrays;

/** A growing list of the task ids that another task depends on. For one plan. */
public final class Dependencies {
    /** No tasks. */
    public static final int[] NONE = {};
    private static final int INITIAL_CAPACITY = 8;

    private int[] ids = new int[INITIAL_CAPACITY];
    private int size;

    /** Returns the given tasks as an array. */
    public static int[] of(final int... tasks) {
        return tasks;
    }

    /** Adds tasks, and returns this list. */
    public Dependencies add(final int... tasks) {
        if (size + tasks.length > ids.length) {
            ids = Arrays.copyOf(ids, Math.max(2 * size, size + tasks.length));
        }
        System.arraycopy(tasks, 0, ids, size, tasks.length);
        size += tasks.length;
        return this;
    }

    /** Returns all tasks in the order of adding. */
    public int[] all() {
        return Arrays.copyOf(ids, size);
    }
}
