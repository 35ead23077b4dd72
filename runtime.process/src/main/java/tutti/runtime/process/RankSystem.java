package tutti.runtime.process;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The process-wide methods of {@link System}, {@link Runtime} and {@link Thread}, implemented for a rank. Not for use in source code: direct
 * uses in the classes of a program are redirected to this class when the classes are defined.
 *
 * <p>Every method serves the rank of the current thread. Without a rank, the streams and the environment are those of the JVM, and all other methods
 * throw {@link IllegalStateException}. No method ends the JVM. Uses by reflection or by a looked-up method handle are not redirected: {@link
 * JvmGuard} intercepts those that would end the JVM, where it has access to the JVM.
 */
public final class RankSystem extends RankOpenings {
    private RankSystem() {}

    /** {@link System#exit}: ends the rank and unwinds the current thread by {@link RankExitError}. */
    public static void exit(final int status) {
        throw rank("exit").exit(status, true);
    }

    /** {@link Runtime#exit}: ends the rank and unwinds the current thread. */
    public static void exit(final Runtime runtime, final int status) {
        throw rank("exit").exit(status, true);
    }

    /** {@link Runtime#halt}: ends the rank as exit does, without shutdown hooks. */
    public static void halt(final Runtime runtime, final int status) {
        throw rank("halt").exit(status, false);
    }

    /** {@link Runtime#addShutdownHook}: the hook is run when the rank ends. */
    public static void addShutdownHook(final Runtime runtime, final Thread hook) {
        rank("addShutdownHook").shutdownHooks().add(hook);
    }

    /** {@link Runtime#removeShutdownHook}. */
    public static boolean removeShutdownHook(final Runtime runtime, final Thread hook) {
        return rank("removeShutdownHook").shutdownHooks().remove(hook);
    }

    /** {@link System#setOut}, for the rank alone. */
    public static void setOut(final PrintStream stream) {
        rank("setOut").console().setOut(stream);
    }

    /** {@link System#setErr}, for the rank alone. */
    public static void setErr(final PrintStream stream) {
        rank("setErr").console().setErr(stream);
    }

    /** {@link System#setIn}, for the rank alone. */
    public static void setIn(final InputStream stream) {
        rank("setIn").console().setIn(stream);
    }

    /** {@link System#out} of the rank. */
    public static PrintStream out() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.out : rank.console().out();
    }

    /** {@link System#err} of the rank. */
    public static PrintStream err() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.err : rank.console().err();
    }

    /** {@link System#in} of the rank. */
    public static InputStream in() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.in : rank.console().in();
    }

    /** {@link Thread#setDefaultUncaughtExceptionHandler}, for the rank alone. */
    public static void setDefaultUncaughtExceptionHandler(final @Nullable UncaughtExceptionHandler handler) {
        rank("setDefaultUncaughtExceptionHandler").setUncaughtHandler(handler);
    }

    /** {@link Thread#getDefaultUncaughtExceptionHandler} of the rank. */
    public static @Nullable UncaughtExceptionHandler getDefaultUncaughtExceptionHandler() {
        return rank("getDefaultUncaughtExceptionHandler").uncaughtHandler();
    }

    /** {@link System#getenv(String)} of the rank. */
    public static @Nullable String getenv(final String name) {
        final RankProcess rank = CurrentRank.find();
        final String own = rank == null ? null : rank.program().environment().get(name);
        return own != null ? own : System.getenv(name);
    }

    /** {@link System#getenv()} of the rank: the variables of the JVM, and those of the job. */
    public static Map<String, String> getenv() {
        final RankProcess rank = CurrentRank.find();
        if (rank == null || rank.program().environment().isEmpty()) {
            return System.getenv();
        }
        final Map<String, String> all = new TreeMap<>(System.getenv());
        all.putAll(rank.program().environment());
        return Collections.unmodifiableMap(all);
    }

    private static RankProcess rank(final String method) {
        final RankProcess rank = CurrentRank.find();
        if (rank == null) {
            throw new IllegalStateException("thread belongs to no rank: method=" + method + ", thread=" + Thread.currentThread().getName());
        }
        return rank;
    }
}
