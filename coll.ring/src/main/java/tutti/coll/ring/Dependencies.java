package tutti.coll.ring;

import java.util.Arrays;

/** What a task comes after: none, or one or two others. */
final class Dependencies {
    static final int[] NONE = {};

    private Dependencies() { }

    static int[] of(final int... tasks) {
        return tasks;
    }

    static int[] both(final int[] some, final int... others) {
        final int[] all = Arrays.copyOf(some, some.length + others.length);
        System.arraycopy(others, 0, all, some.length, others.length);
        return all;
    }
}
