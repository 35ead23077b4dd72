package tutti.runtime.process;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The threads of ended ranks that could not be stopped, of this JVM. A thread that waits in native code cannot be, for example.
 *
 * <p><b>Threads.</b> Safe for any thread. Listeners are called on the thread that ends a rank.
 */
final class RemainingThreads {
    private static final Set<Remaining> ALL = ConcurrentHashMap.newKeySet();
    private static final List<Runnable> LISTENERS = new CopyOnWriteArrayList<>();

    private RemainingThreads() {}

    /** Thread of a rank of a job. */
    private record Remaining(String job, int rank, Thread thread) {}

    /** Adds the threads of a rank that has ended, and calls the listeners. */
    static void add(final String job, final int rank, final List<Thread> threads) {
        if (!threads.isEmpty()) {
            threads.forEach(t -> ALL.add(new Remaining(job, rank, t)));
            LISTENERS.forEach(Runnable::run);
        }
    }

    /** Calls {@code listener} whenever threads were added. It must not block. */
    static void listen(final Runnable listener) {
        LISTENERS.add(listener);
    }

    /** Ends the calls of {@code listener}. */
    static void unlisten(final Runnable listener) {
        LISTENERS.remove(listener);
    }

    /** Returns how many such threads are alive, and names one of them and where it is; null when none is. */
    static @Nullable String describe() {
        ALL.removeIf(r -> !r.thread.isAlive());
        final List<Remaining> left = List.copyOf(ALL);
        if (left.isEmpty()) {
            return null;
        }
        final Remaining first = left.getFirst();
        final StackTraceElement[] stack = first.thread.getStackTrace();
        return (left.size() == 1 ? "a thread of an ended job cannot be stopped: " : left.size() + " threads of ended jobs cannot be stopped: first=")
            + first.thread.getName() + ", job=" + first.job + ", rank=" + first.rank + (stack.length == 0 ? "" : ", at=" + stack[0]);
    }
}
