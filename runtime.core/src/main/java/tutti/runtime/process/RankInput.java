package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;

/**
 * Standard input that is brought when it is read, not before: a read that finds nothing asks for more and waits. Safe for any thread.
 */
public final class RankInput extends InputStream {
    private final Runnable ask;
    private byte[] bytes = {};
    private int at;
    private boolean asked;
    private boolean over;

    /** An input that calls {@code ask} when it wants {@link #bring} to be called. */
    public RankInput(final Runnable ask) {
        this.ask = ask;
    }

    /** Gives what was asked for; nothing at all is the end. The caller gives the array away. */
    public synchronized void bring(final byte[] more) {
        bytes = more;
        at = 0;
        asked = false;
        over |= more.length == 0;
        notifyAll();
    }

    @Override
    public synchronized int read() throws IOException {
        return fill() ? bytes[at++] & 0xff : -1;
    }

    @Override
    public synchronized int read(final byte[] into, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        final int n = Math.min(length, bytes.length - at);
        System.arraycopy(bytes, at, into, offset, n);
        at += n;
        return n;
    }

    @Override
    public synchronized int available() {
        return bytes.length - at;
    }

    private boolean fill() throws IOException {
        while (at == bytes.length && !over) {
            if (!asked) {
                asked = true;
                ask.run();
            }
            try {
                wait();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for standard input");
            }
        }
        return at < bytes.length;
    }
}
