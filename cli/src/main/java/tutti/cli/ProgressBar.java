package tutti.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Progress of a long command: a bar on a terminal, else a line for every tenth. For one thread. */
final class ProgressBar {
    private static final int CELLS = 30;

    private final PrintStream out;
    private final boolean terminal;
    private final int all;
    private final long begin;
    private int done;
    private int doneHere;
    private int tenth;

    /**
     * Creates a progress bar.
     *
     * @param all  total number of steps
     * @param done number of steps that were done earlier
     */
    ProgressBar(final PrintStream out, final boolean terminal, final int all, final int done) {
        this.out = out;
        this.terminal = terminal;
        this.all = all;
        this.done = done;
        this.begin = System.nanoTime();
        this.tenth = all == 0 ? 0 : 10 * done / all;
    }

    /** Creates a progress bar on standard error. */
    public static ProgressBar onStandardError(final int all, final int done) {
        return new ProgressBar(System.err, System.console() != null && System.console().isTerminal(), all, done);
    }

    /** Counts a completed step, named {@code what}, and updates the display. */
    public void step(final String what) {
        done++;
        doneHere++;
        final long left = (System.nanoTime() - begin) / doneHere * Math.max(0, all - done);
        if (terminal) {
            final int full = CELLS * done / all;
            out.printf(Locale.ROOT, "\r[%s%s] %3d%%  %d/%d  %s left  %-48.48s", "#".repeat(full), ".".repeat(CELLS - full), 100 * done / all, done,
                all, text(left), what);
            if (done == all) {
                out.println();
            }
        } else if (10 * done / all > tenth) {
            tenth = 10 * done / all;
            out.printf(Locale.ROOT, "%3d%%  %d/%d  %s left  %s%n", 100 * done / all, done, all, text(left), what);
        }
        out.flush();
    }

    private static String text(final long nanos) {
        final Duration d = Duration.ofNanos(nanos);
        return String.format(Locale.ROOT, "%d:%02d", d.toMinutes(), d.toSecondsPart());
    }
}
