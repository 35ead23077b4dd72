package tutti.runtime.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.rewrite.Redirections;

/**
 * The process-wide methods of {@link System}, {@link Runtime} and {@link Thread}, implemented for a rank. Not for use in source code: direct
 * uses in the classes of a program are redirected to this class when the classes are defined.
 *
 * <p>Every method serves the rank of the current thread. Without a rank, streams, environment, properties, class loader and files are those of the
 * JVM, and all other methods throw {@link IllegalStateException}. No method ends the JVM. Uses by reflection or by a looked-up method handle
 * are not redirected: one that ends the JVM ends all ranks in it.
 */
public final class RankSystem {
    /** The redirections of the process-wide members that programs use to the methods of this class. */
    static final Redirections REDIRECTIONS = Redirections.to(RankSystem.class, RankForkJoinPool.class);

    private RankSystem() {}

    /** {@link System#exit}: ends the rank. Does not return. */
    public static void exit(final int status) {
        rank("exit").exit(status, true);
    }

    /** {@link Runtime#exit}: ends the rank. Does not return. */
    public static void exit(final Runtime runtime, final int status) {
        rank("exit").exit(status, true);
    }

    /** {@link Runtime#halt}: ends the rank as exit does, without shutdown hooks. Does not return. */
    public static void halt(final Runtime runtime, final int status) {
        rank("halt").exit(status, false);
    }

    /** {@link File#deleteOnExit}: the file is deleted when the rank ends. */
    public static void deleteOnExit(final File file) {
        final RankProcess rank = CurrentRank.find();
        if (rank == null) {
            file.deleteOnExit();
        } else if (file.getPath().indexOf('\0') < 0) {
            rank.files().add(file.getPath());
        }
    }

    /** {@link Runtime#addShutdownHook}: the hook is run when the rank ends. */
    public static void addShutdownHook(final Runtime runtime, final Thread hook) {
        rank("addShutdownHook").shutdownHooks().add(hook);
    }

    /** {@link Runtime#removeShutdownHook}. */
    public static boolean removeShutdownHook(final Runtime runtime, final Thread hook) {
        return rank("removeShutdownHook").shutdownHooks().remove(hook);
    }

    /** {@link System#setOut}, for the rank alone. A routed stream leads back to the rank, so the initial stream is set instead of it. */
    public static void setOut(final PrintStream stream) {
        final RankConsole console = rank("setOut").console();
        console.setOut(stream instanceof RoutedPrintStream ? console.initialOut() : stream);
    }

    /** {@link System#setErr}, for the rank alone. */
    public static void setErr(final PrintStream stream) {
        final RankConsole console = rank("setErr").console();
        console.setErr(stream instanceof RoutedPrintStream ? console.initialErr() : stream);
    }

    /** {@link System#setIn}, for the rank alone. */
    public static void setIn(final InputStream stream) {
        final RankConsole console = rank("setIn").console();
        console.setIn(stream instanceof RoutedInputStream ? console.initialIn() : stream);
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

    /** {@link System#getProperty(String)} of the rank. */
    public static @Nullable String getProperty(final String name) {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.getProperty(name) : rank.properties().get(name);
    }

    /** {@link System#getProperty(String, String)} of the rank. */
    public static @Nullable String getProperty(final String name, final @Nullable String byDefault) {
        final String value = getProperty(name);
        return value == null ? byDefault : value;
    }

    /** {@link System#getProperties()} of the rank. */
    public static Properties getProperties() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.getProperties() : rank.properties().all();
    }

    /** {@link System#setProperty}, for the rank alone where the property is its own. */
    public static @Nullable String setProperty(final String name, final String value) {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.setProperty(name, value) : rank.properties().set(name, Objects.requireNonNull(value));
    }

    /** {@link System#clearProperty}, for the rank alone where the property is its own. */
    public static @Nullable String clearProperty(final String name) {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.clearProperty(name) : rank.properties().set(name, null);
    }

    /** {@link Boolean#getBoolean}. */
    public static boolean getBoolean(final @Nullable String name) {
        return name != null && !name.isEmpty() && Boolean.parseBoolean(getProperty(name));
    }

    /** {@link Integer#getInteger(String)}. */
    public static @Nullable Integer getInteger(final @Nullable String name) {
        return getInteger(name, null);
    }

    /** {@link Integer#getInteger(String, int)}. */
    public static Integer getInteger(final @Nullable String name, final int byDefault) {
        final Integer value = getInteger(name, null);
        return value == null ? Integer.valueOf(byDefault) : value;
    }

    /** {@link Integer#getInteger(String, Integer)}. */
    public static @Nullable Integer getInteger(final @Nullable String name, final @Nullable Integer byDefault) {
        return number(name, Integer::decode, byDefault);
    }

    /** {@link Long#getLong(String)}. */
    public static @Nullable Long getLong(final @Nullable String name) {
        return getLong(name, null);
    }

    /** {@link Long#getLong(String, long)}. */
    public static Long getLong(final @Nullable String name, final long byDefault) {
        final Long value = getLong(name, null);
        return value == null ? Long.valueOf(byDefault) : value;
    }

    /** {@link Long#getLong(String, Long)}. */
    public static @Nullable Long getLong(final @Nullable String name, final @Nullable Long byDefault) {
        return number(name, Long::decode, byDefault);
    }

    private static <T> @Nullable T number(final @Nullable String name, final Function<String, T> decoder, final @Nullable T byDefault) {
        final String value = name == null || name.isEmpty() ? null : getProperty(name);
        try {
            return value == null ? byDefault : decoder.apply(value);
        } catch (final NumberFormatException e) {
            return byDefault;
        }
    }

    /** {@link java.util.concurrent.Executors#newWorkStealingPool()}. */
    public static ExecutorService newWorkStealingPool() {
        return newWorkStealingPool(Runtime.getRuntime().availableProcessors());
    }

    /** {@link java.util.concurrent.Executors#newWorkStealingPool(int)}. */
    public static ExecutorService newWorkStealingPool(final int parallelism) {
        return new RankForkJoinPool(parallelism, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    }

    /** {@link ClassLoader#getSystemClassLoader}: the loader of the program. */
    public static ClassLoader getSystemClassLoader() {
        return CurrentRank.programLoader();
    }

    /** {@link ClassLoader#getSystemResource}. */
    public static @Nullable URL getSystemResource(final String name) {
        return CurrentRank.programLoader().getResource(name);
    }

    /** {@link ClassLoader#getSystemResources}. */
    public static Enumeration<URL> getSystemResources(final String name) throws IOException {
        return CurrentRank.programLoader().getResources(name);
    }

    /** {@link ClassLoader#getSystemResourceAsStream}. */
    public static @Nullable InputStream getSystemResourceAsStream(final String name) {
        return CurrentRank.programLoader().getResourceAsStream(name);
    }

    /** Returns the rank of the caller, whose task on a thread that ranks share may begin after the last rank has ended. */
    private static RankProcess rank(final String method) {
        final RankProcess rank = CurrentRank.findAlsoEnded();
        if (rank == null) {
            throw new IllegalStateException("thread belongs to no rank: method=" + method + ", thread=" + Thread.currentThread().getName());
        }
        return rank;
    }
}
