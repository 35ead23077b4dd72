package tutti.coll.smp;

import java.util.Arrays;

/** A growing list of the task ids that another task depends on. For one plan. */
final class Dependencies {
    static final int[] NONE = {};
    private static final int INITIAL_CAPACITY = 8;

    private int[] ids = new int[INITIAL_CAPACITY];
    private int size;

    static int[] of(final int... tasks) {
        return tasks;
    }

    Dependencies add(final int... tasks) {
        for (final int t : tasks) {
            if (size == ids.length) {
                ids = Arrays.copyOf(ids, 2 * size);
            }
            ids[size++] = t;
        }
        return this;
    }

    int[] all() {
        return Arrays.copyOf(ids, size);
    }
}
