package tutti.coll.ring;

import java.util.Arrays;

/** Dependencies of a task, as arrays of task ids. */
final class Dependencies {
    static final int[] NONE = {};

    private Dependencies() {}

    static int[] of(final int... tasks) {
        return tasks;
    }

    static int[] both(final int[] some, final int... others) {
        final int[] all = Arrays.copyOf(some, some.length + others.length);
        System.arraycopy(others, 0, all, some.length, others.length);
        return all;
    }
}
