package tutti.runtime.process.jdk;

import java.util.Arrays;
import java.util.List;

/** Finds the root of thread groups, and threads in groups. */
public final class ThreadGroups {
    private ThreadGroups() {}

    /** Returns the root of all groups. It is the parent of every rank's group, so that no rank's group is inside that of another rank. */
    public static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    /** Returns the live platform threads of a group and of those in it. */
    public static List<Thread> threads(final ThreadGroup group) {
        Thread[] threads = new Thread[group.activeCount() + 16];
        int count = group.enumerate(threads);
        while (count == threads.length) {
            threads = new Thread[2 * threads.length];
            count = group.enumerate(threads);
        }
        return Arrays.asList(threads).subList(0, count);
    }
}
