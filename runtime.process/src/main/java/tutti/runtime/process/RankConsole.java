package tutti.runtime.process;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tutti.runtime.process.owner.RankOutput;

/**
 * The standard streams of one rank: the initial ones, and those that the program set instead. Safe for any thread.
 *
 * <p><b>Threads.</b> The current streams are volatile: the program sets them, and each access reads them once. Only {@link #finish} waits.
 */
final class RankConsole {
    private final LineStream outLines;
    private final LineStream errLines;
    private final PrintStream initialOut;
    private final PrintStream initialErr;
    private final InputStream initialIn;
    private volatile PrintStream out;
    private volatile PrintStream err;
    private volatile InputStream in;

    /**
     * Creates the streams.
     *
     * @param refused run by threads that print after {@link #refuse}
     */
    RankConsole(final RankOutput output, final InputStream input, final Runnable refused) {
        outLines = new LineStream(false, output, refused);
        errLines = new LineStream(true, output, refused);
        initialOut = new PrintStream(outLines, false, StandardCharsets.UTF_8);
        initialErr = new PrintStream(errLines, false, StandardCharsets.UTF_8);
        initialIn = input;
        out = initialOut;
        err = initialErr;
        in = initialIn;
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

    PrintStream initialOut() {
        return initialOut;
    }

    PrintStream initialErr() {
        return initialErr;
    }

    InputStream initialIn() {
        return initialIn;
    }

    void setOut(final PrintStream stream) {
        out = stream;
    }

    /** Sets standard error in the place of standard output, and returns the initial standard output. */
    PrintStream separate() {
        out = err;
        return initialOut;
    }

    void setErr(final PrintStream stream) {
        err = stream;
    }

    void setIn(final InputStream stream) {
        in = stream;
    }

    /** Ends the output streams. */
    void refuse() {
        outLines.refuse();
        errLines.refuse();
    }

    /** Restores the initial streams, which drops references to streams of the program. */
    void reset() {
        out = initialOut;
        err = initialErr;
        in = initialIn;
    }

    /** Passes on the remaining output; returns false when the output did not accept it in time. */
    boolean finish(final long millis) throws InterruptedException {
        final boolean outDone = outLines.finish(millis);
        return errLines.finish(millis) && outDone;
    }
}
