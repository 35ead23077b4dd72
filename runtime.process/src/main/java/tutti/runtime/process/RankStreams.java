package tutti.runtime.process;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the JVM's standard streams by streams that route the threads of a rank to the rank's own streams, and all other threads to the
 * original ones.
 *
 * <p>Must be installed before the first rank starts; each {@link #install} needs an {@link #uninstall}. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of the class guards the installed streams; routing takes no lock.
 */
public final class RankStreams {
    private static int installed;
    /** Restores the original streams; null while nothing is installed. */
    private static @Nullable Runnable restoring;

    private RankStreams() {}

    /** Replaces the JVM's streams, and makes virtual threads report exceptions to their rank. Further calls are only counted. */
    public static synchronized void install() {
        if (installed++ > 0) {
            return;
        }
        final PrintStream out = System.out;
        final PrintStream err = System.err;
        final InputStream in = System.in;
        final UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        System.setOut(new RoutedPrintStream(out, RankConsole::out));
        System.setErr(new RoutedPrintStream(err, RankConsole::err));
        System.setIn(new RoutedInputStream(in));
        Thread.setDefaultUncaughtExceptionHandler(new RoutedHandler(handler));
        restoring = () -> {
            System.setOut(out);
            System.setErr(err);
            System.setIn(in);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        };
    }

    /** Ends the use by a job. When called as often as {@link #install}, the original streams are restored. */
    public static synchronized void uninstall() {
        if (restoring != null && --installed == 0) {
            restoring.run();
            restoring = null;
        }
    }

    /**
     * Separates what the program of the current thread's rank tells from what is printed: returns the rank's standard output, for the program alone.
     * What is printed on {@code System.out} from now on, by modules for example, goes to standard error. Without a rank, returns {@code System.out}.
     */
    public static PrintStream separate() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? System.out : rank.console().separate();
    }

    /** The default handler. It serves threads of a rank that are not in the rank's group, above all virtual threads. */
    private record RoutedHandler(@Nullable UncaughtExceptionHandler original) implements UncaughtExceptionHandler {
        @Override
        public void uncaughtException(final Thread thread, final Throwable thrown) {
            final RankProcess rank = CurrentRank.of(thread);
            if (rank != null) {
                rank.uncaught(thread, thrown);
            } else if (original != null) {
                original.uncaughtException(thread, thrown);
            } else {
                System.err.print("Exception in thread \"" + thread.getName() + "\" ");
                thrown.printStackTrace(System.err);
            }
        }
    }
}
