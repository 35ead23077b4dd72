package tutti.runtime.process;

import java.lang.StackWalker.StackFrame;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rank for which the current thread runs. Safe for any thread; allocates nothing on a rank's own threads.
 *
 * <p><b>Threads.</b> The number of ranks is atomic and orders nothing else; a rank is counted before its threads start.
 */
final class CurrentRank {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** The number of ranks that were started and have not ended. Stacks are searched only while there are any. */
    private static final AtomicInteger RUNNING = new AtomicInteger();

    private CurrentRank() {}

    static void started() {
        RUNNING.incrementAndGet();
    }

    static void ended() {
        RUNNING.decrementAndGet();
    }

    /**
     * Returns the rank of the current thread, or null. The rank is found by the thread's group, else by its context class loader, else by the
     * first class of a program on its stack. The last is for threads that ranks share, such as those of the common pool.
     */
    static @Nullable RankProcess find() {
        return RUNNING.get() == 0 ? of(Thread.currentThread()) : findAlsoEnded();
    }

    /** Returns the rank that a thread belongs to, or null. */
    static @Nullable RankProcess of(final Thread thread) {
        for (ThreadGroup group = thread.getThreadGroup(); group != null; group = group.getParent()) {
            if (group instanceof RankThreadGroup rank) {
                return rank.process();
            }
        }
        return of(thread.getContextClassLoader());
    }

    /** Returns the loader of the first class of a program on the stack of the current thread; that of the JVM's class path when there is none. */
    static ClassLoader programLoader() {
        return WALKER.<ClassLoader>walk(frames -> frames.map(f -> (ClassLoader) loaderOf(f.getDeclaringClass().getClassLoader()))
            .filter(Objects::nonNull).findFirst().orElseGet(ClassLoader::getSystemClassLoader));
    }

    /** Returns the rank of the current thread or of the first class of a program on its stack, also if no rank runs any more; null without one. */
    static @Nullable RankProcess findAlsoEnded() {
        final RankProcess own = of(Thread.currentThread());
        return own != null ? own : onStack();
    }

    private static @Nullable RankProcess onStack() {
        return WALKER.walk(frames -> frames.map(CurrentRank::of).filter(Objects::nonNull).findFirst().orElse(null));
    }

    private static @Nullable RankProcess of(final StackFrame frame) {
        return of(frame.getDeclaringClass().getClassLoader());
    }

    private static @Nullable RankProcess of(final @Nullable ClassLoader loader) {
        final RankLoader found = loaderOf(loader);
        return found == null ? null : found.process();
    }

    /** Returns the rank's loader that {@code loader} is or descends from, or null. */
    static @Nullable RankLoader loaderOf(final @Nullable ClassLoader loader) {
        for (ClassLoader at = loader; at != null; at = at.getParent()) {
            if (at instanceof final RankLoader rank) {
                return rank;
            }
            // threads of the JDK, which any code may use, have the system class loader itself
            if (at instanceof final SystemLoader system && at != loader) {
                return system.rank();
            }
        }
        return null;
    }
}
