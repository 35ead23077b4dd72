package tutti.runtime.process;

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
    /** Null while nothing is installed. */
    private static @Nullable Routes routes;

    private RankStreams() {}

    /** Replaces the JVM's streams, and makes virtual threads report exceptions to their rank. Further calls are only counted. */
    public static synchronized void install() {
        if (installed++ > 0) {
            return;
        }
        final Routes made = new Routes(new RoutedPrintStream(System.out, RankConsole::out), new RoutedPrintStream(System.err, RankConsole::err),
            new RoutedInputStream(System.in), new RoutedHandler(Thread.getDefaultUncaughtExceptionHandler()));
        made.install();
        routes = made;
    }

    /** Ends the use by a job. When called as often as {@link #install}, the original streams are restored. */
    public static synchronized void uninstall() {
        if (routes != null && --installed == 0) {
            routes.uninstall();
            routes = null;
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

    /** The streams and the handler that are installed together. */
    private record Routes(RoutedPrintStream out, RoutedPrintStream err, RoutedInputStream in, RoutedHandler handler) {
        void install() {
            System.setOut(out);
            System.setErr(err);
            System.setIn(in);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }

        void uninstall() {
            System.setOut(out.original());
            System.setErr(err.original());
            System.setIn(in.original());
            Thread.setDefaultUncaughtExceptionHandler(handler.original());
        }
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
