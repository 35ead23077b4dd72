package tutti.runtime.process;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The standard streams of one rank: those that it was started with, and those that the program put in their place. Safe for any thread. */
final class RankConsole {
    private final LineStream outLines;
    private final LineStream errLines;
    private final PrintStream firstOut;
    private final PrintStream firstErr;
    private final InputStream firstIn;
    private volatile PrintStream out;
    private volatile PrintStream err;
    private volatile InputStream in;

    RankConsole(final RankOutput output, final InputStream input) {
        outLines = new LineStream(false, output);
        errLines = new LineStream(true, output);
        firstOut = new PrintStream(outLines, false, StandardCharsets.UTF_8);
        firstErr = new PrintStream(errLines, false, StandardCharsets.UTF_8);
        firstIn = input;
        out = firstOut;
        err = firstErr;
        in = firstIn;
    }

    PrintStream out() {
        return out;
    }

    PrintStream err() {
        return err;
    }

    InputStream in() {
        return in;
    }

    /** A routed stream leads back here, so it stands for the first one. */
    void setOut(final PrintStream stream) {
        out = stream instanceof RoutedPrintStream ? firstOut : stream;
    }

    void setErr(final PrintStream stream) {
        err = stream instanceof RoutedPrintStream ? firstErr : stream;
    }

    void setIn(final InputStream stream) {
        in = stream instanceof RoutedInputStream ? firstIn : stream;
    }

    /** From now on threads that print are unwound. */
    void refuse() {
        outLines.refuse();
        errLines.refuse();
    }

    /** Lets go of streams that the program made. */
    void reset() {
        out = firstOut;
        err = firstErr;
        in = firstIn;
    }

    /** Hands over what is left; false when the output did not take it in time. */
    boolean finish(final long millis) throws InterruptedException {
        final boolean outDone = outLines.finish(millis);
        return errLines.finish(millis) && outDone;
    }
}
