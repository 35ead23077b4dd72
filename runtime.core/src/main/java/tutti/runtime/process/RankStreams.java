package tutti.runtime.process;

import java.lang.Thread.UncaughtExceptionHandler;

/**
 * Puts streams in the place of the JVM's standard ones that lead each rank's threads to the rank's own, and everybody else to the originals.
 *
 * <p>Install before the first rank starts; each {@link #install} needs its {@link #uninstall}. Safe for any thread.
 */
public final class RankStreams {
    private static int installed;
    private static RoutedPrintStream out;
    private static RoutedPrintStream err;
    private static RoutedInputStream in;
    private static RoutedHandler handler;

    private RankStreams() { }

    /** Replaces the JVM's streams, once however often it is called, and makes virtual threads report exceptions to their rank. */
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

    /** Brings the original streams back when it was called as often as {@link #install}; leaves alone what others replaced meanwhile. */
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

    /** Threads of a rank that are not in its group, virtual ones above all, come here. */
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
