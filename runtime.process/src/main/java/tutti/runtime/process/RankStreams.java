package tutti.runtime.process;

import java.lang.Thread.UncaughtExceptionHandler;

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
    private static RoutedPrintStream out;
    private static RoutedPrintStream err;
    private static RoutedInputStream in;
    private static RoutedHandler handler;

    private RankStreams() {}

    /** Replaces the JVM's streams, and makes virtual threads report exceptions to their rank. Further calls are only counted. */
    public static synchronized void install() {
        if (installed++ > 0) {
            return;
        }
        out = new RoutedPrintStream(System.out, RankConsole::out);
        err = new RoutedPrintStream(System.err, RankConsole::err);
        in = new RoutedInputStream(System.in);
        handler = new RoutedHandler(Thread.getDefaultUncaughtExceptionHandler());
        System.setOut(out);
        System.setErr(err);
        System.setIn(in);
        Thread.setDefaultUncaughtExceptionHandler(handler);
    }

    /** Restores the original streams when called as often as {@link #install}. Streams that others replaced meanwhile are not changed. */
    public static synchronized void uninstall() {
        if (installed == 0 || --installed > 0) {
            return;
        }
        if (System.out == out) {
            System.setOut(out.original());
        }
        if (System.err == err) {
            System.setErr(err.original());
        }
        if (System.in == in) {
            System.setIn(in.original());
        }
        if (Thread.getDefaultUncaughtExceptionHandler() == handler) {
            Thread.setDefaultUncaughtExceptionHandler(handler.original());
        }
    }

    /** The default handler. It serves threads of a rank that are not in the rank's group, above all virtual threads. */
    private record RoutedHandler(UncaughtExceptionHandler original) implements UncaughtExceptionHandler {
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
