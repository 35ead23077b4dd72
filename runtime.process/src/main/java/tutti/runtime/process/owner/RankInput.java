package tutti.runtime.process.owner;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;

/**
 * Standard input that is requested on demand: a read that finds no data requests more and waits. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards all fields. A reader waits on it for {@link #supply}; the first that waits requests more, under
 * the lock. What is told of waits runs under the lock, too.
 */
public final class RankInput extends InputStream {
    private final Runnable requestMore;
    private final Runnable waits;
    private final Runnable goesOn;
    private byte[] bytes = {};
    private int at;
    private boolean requested;
    private boolean endOfInput;

    /**
     * Creates an input.
     *
     * @param requestMore called when it needs data, which {@link #supply} then supplies
     * @param waits       called by a thread that is about to wait for data
     * @param goesOn      called by that thread when it waits no longer
     */
    public RankInput(final Runnable requestMore, final Runnable waits, final Runnable goesOn) {
        this.requestMore = requestMore;
        this.waits = waits;
        this.goesOn = goesOn;
    }

    /** Supplies the requested data; an empty array is the end of the input. The caller must not use the array afterwards. */
    public synchronized void supply(final byte[] more) {
        bytes = more;
        at = 0;
        requested = false;
        endOfInput |= more.length == 0;
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
        while (at == bytes.length && !endOfInput) {
            if (!requested) {
                requested = true;
                // what it supplies may be here when it returns
                requestMore.run();
                continue;
            }
            waits.run();
            try {
                wait();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for standard input");
            } finally {
                goesOn.run();
            }
        }
        return at < bytes.length;
    }
}
