package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Stream of bytes that come in pieces. Reads as many as are here at once. Read by one thread at a time; any thread may add pieces, and close it.
 *
 * <p><b>Threads.</b> The lock of this object guards the pieces and the end. The piece that is read belongs to the reader.
 */
abstract class PieceStream extends InputStream {
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    /** Whether no more pieces follow. */
    private boolean hasEnded;
    /** Why the stream ended before its end; null when it did not. */
    private @Nullable IOException failure;
    private boolean isClosed;
    private byte[] current = new byte[0];
    private int at;

    final synchronized boolean hasEnded() {
        return hasEnded;
    }

    /** Returns whether the stream takes pieces. */
    final synchronized boolean isOpen() {
        return !isClosed && !hasEnded;
    }

    /** Adds a piece, if the stream is open; returns whether it is. */
    synchronized boolean add(final byte[] piece) {
        if (isOpen()) {
            pieces.add(piece);
            notifyAll();
        }
        return isOpen();
    }

    /** Ends the stream after its pieces; with a failure, if there is one. */
    final synchronized void end(final @Nullable IOException reason) {
        if (isOpen()) {
            failure = reason;
        }
        hasEnded = true;
        notifyAll();
    }

    /** Waits for the next piece; null at the end of the stream. */
    abstract byte @Nullable [] next() throws IOException;

    /** Waits for the next piece; null at the end of the stream, and when it is closed meanwhile. */
    final synchronized byte @Nullable [] take() throws IOException {
        try {
            while (pieces.isEmpty() && isOpen()) {
                wait();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        }
        final byte[] piece = pieces.poll();
        if (piece == null && failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return piece;
    }

    final synchronized void checkNotClosed() throws IOException {
        if (isClosed) {
            // Cause: the node that asked is gone.
            throw new IOException("the stream is closed");
        }
    }

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(final byte[] to, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (length == 0) {
            return 0;
        }
        int bytes = 0;
        while (bytes < length && (bytes == 0 || at < current.length || hasNext())) {
            if (at == current.length) {
                final byte[] piece = next();
                if (piece == null) {
                    return bytes == 0 ? -1 : bytes;
                }
                current = piece;
                at = 0;
            }
            final int more = Math.min(length - bytes, current.length - at);
            System.arraycopy(current, at, to, offset + bytes, more);
            at += more;
            bytes += more;
        }
        return bytes;
    }

    private synchronized boolean hasNext() {
        return !pieces.isEmpty();
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        failure = null;
        pieces.clear();
        notifyAll();
    }
}
