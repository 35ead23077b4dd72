package tutti.runtime.process;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The threads of ended ranks of this JVM that still run or wait. Nothing ends them but the end of the JVM, which its owner brings about.
 *
 * <p><b>Threads.</b> Safe for any thread. The set is concurrent; threads that have ended are dropped when others are added or it is read.
 */
final class LeftThreads {
    private static final Set<Left> ALL = ConcurrentHashMap.newKeySet();

    private LeftThreads() {}

    /** Thread of a rank of a job. */
    private record Left(String job, int rank, Thread thread) {}

    /** Adds the threads of a rank that has ended. */
    static void add(final String job, final int rank, final List<Thread> threads) {
        ALL.removeIf(l -> !l.thread.isAlive());
        threads.forEach(t -> ALL.add(new Left(job, rank, t)));
    }

    /** Returns how many such threads are alive, and names one of them and where it is; null when none is. */
    static @Nullable String describe() {
        ALL.removeIf(l -> !l.thread.isAlive());
        final List<Left> left = List.copyOf(ALL);
        if (left.isEmpty()) {
            return null;
        }
        final Left first = left.getFirst();
        return "threads=" + left.size() + ", first=" + first.thread.getName() + ", job=" + first.job + ", rank=" + first.rank + ", at="
            + at(first.thread);
    }

    /** Returns the innermost method of a thread, as text. */
    static String at(final Thread thread) {
        final StackTraceElement[] stack = thread.getStackTrace();
        return stack.length == 0 ? "?" : stack[0].toString();
    }
}
