package tutti.runtime.process;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replacement of the JVM's {@code System.out} or {@code System.err}: routes every call to the stream of the current thread's rank, or without
 * a rank to the original stream. Methods that are not here call one that is. Has no lock and no state of its own, so that ranks do not contend.
 */
final class RoutedPrintStream extends PrintStream {
    private final PrintStream original;
    private final Function<RankConsole, PrintStream> ofRank;

    RoutedPrintStream(final PrintStream original, final Function<RankConsole, PrintStream> ofRank) {
        super(OutputStream.nullOutputStream());
        this.original = original;
        this.ofRank = ofRank;
    }

    private PrintStream to() {
        final RankProcess rank = CurrentRank.find();
        return rank == null ? original : ofRank.apply(rank.console());
    }

    @Override
    public void flush() {
        to().flush();
    }

    @Override
    public void close() {
        to().close();
    }

    @Override
    public boolean checkError() {
        return to().checkError();
    }

    @Override
    public Charset charset() {
        return to().charset();
    }

    @Override
    public void write(final int b) {
        to().write(b);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) {
        to().write(bytes, offset, length);
    }

    @Override
    public void print(final boolean value) {
        to().print(value);
    }

    @Override
    public void print(final char value) {
        to().print(value);
    }

    @Override
    public void print(final int value) {
        to().print(value);
    }

    @Override
    public void print(final long value) {
        to().print(value);
    }

    @Override
    public void print(final float value) {
        to().print(value);
    }

    @Override
    public void print(final double value) {
        to().print(value);
    }

    @Override
    public void print(final char[] value) {
        to().print(value);
    }

    @Override
    public void print(final @Nullable String value) {
        to().print(value);
    }

    @Override
    public void print(final @Nullable Object value) {
        to().print(value);
    }

    @Override
    public void println() {
        to().println();
    }

    @Override
    public void println(final boolean value) {
        to().println(value);
    }

    @Override
    public void println(final char value) {
        to().println(value);
    }

    @Override
    public void println(final int value) {
        to().println(value);
    }

    @Override
    public void println(final long value) {
        to().println(value);
    }

    @Override
    public void println(final float value) {
        to().println(value);
    }

    @Override
    public void println(final double value) {
        to().println(value);
    }

    @Override
    public void println(final char[] value) {
        to().println(value);
    }

    @Override
    public void println(final @Nullable String value) {
        to().println(value);
    }

    @Override
    public void println(final @Nullable Object value) {
        to().println(value);
    }

    @Override
    public PrintStream format(final String format, final @Nullable Object... args) {
        to().format(format, args);
        return this;
    }

    @Override
    public PrintStream format(final @Nullable Locale locale, final String format, final @Nullable Object... args) {
        to().format(locale, format, args);
        return this;
    }
}
