package tutti.runtime.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.stop.ThreadGroups;
import tutti.runtime.process.stop.ThreadStopper;

/** Finds the live threads of a rank. */
final class RankThreads {
    private RankThreads() {}

    /** Returns a thread of the group that keeps a process alive: neither a daemon nor the current thread. Returns null when there is none. */
    static @Nullable Thread keepingAlive(final ThreadGroup group) {
        for (final Thread thread : in(group)) {
            if (thread != Thread.currentThread() && !thread.isDaemon()) {
                return thread;
            }
        }
        return null;
    }

    /** Returns all live threads of the rank in any group, virtual threads included, except the current thread. */
    static List<Thread> of(final RankProcess process) {
        final List<Thread> found = new ArrayList<>();
        for (final Thread thread : in(ThreadGroups.root())) {
            if (thread != Thread.currentThread() && thread.isAlive() && process.owns(thread)) {
                found.add(thread);
            }
        }
        if (process.mayHaveVirtualThreads()) {
            ThreadStopper.virtualThreads().filter(thread -> thread != Thread.currentThread() && process.owns(thread)).forEach(found::add);
        }
        return found;
    }

    private static List<Thread> in(final ThreadGroup group) {
        Thread[] threads = new Thread[group.activeCount() + 16];
        int count = group.enumerate(threads);
        while (count == threads.length) {
            threads = new Thread[2 * threads.length];
            count = group.enumerate(threads);
        }
        return Arrays.asList(threads).subList(0, count);
    }
}
