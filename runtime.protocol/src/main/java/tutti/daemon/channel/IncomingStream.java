package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a call whose bytes come from the other end. That end sends no byte before this one reads, and then as many as it has credit for. Read by
 * one thread at a time; closing it tells the other end to send no more.
 */
final class IncomingStream extends InputStream {
    /** Most bytes that the other end may have sent and nobody has read. */
    static final int WINDOW = 1 << 20;
    private static final int QUARTER = WINDOW / 4;

    private final Peer peer;
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    /** Bytes that the other end may still send. */
    private int credit;
    /** Bytes that were read, and for which no credit was granted yet. */
    private int owed = WINDOW;
    private byte[] current = new byte[0];
    private int at;
    /** Whether no more pieces follow. */
    private boolean hasEnded;
    /** Why the stream ended before its end; null when it did not. */
    private @Nullable IOException failure;
    private boolean isClosed;

    /** The end that sends the bytes. */
    interface Peer {
        /** Grants credit for more bytes. */
        void grant(int bytes);

        /** Says that no more bytes are wanted. */
        void stop();
    }

    IncomingStream(final Peer peer) {
        this.peer = peer;
    }

    /**
     * Adds a received piece.
     *
     * @throws IllegalStateException when it is empty, or the other end has no credit for it
     */
    synchronized void received(final byte[] piece) {
        if (piece.length == 0 || piece.length > credit || hasEnded) {
            throw new IllegalStateException("bytes of a stream without credit: bytes=" + piece.length + ", credit=" + credit);
        }
        credit -= piece.length;
        if (!isClosed) {
            pieces.add(piece);
            notifyAll();
        }
    }

    /** Ends the stream. */
    synchronized void ended() {
        hasEnded = true;
        notifyAll();
    }

    /** Ends the stream before its end; reading it fails from now on. */
    synchronized void failed(final String reason) {
        if (!hasEnded) {
            failure = new IOException(reason);
            ended();
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
        if (at == current.length && !next()) {
            return -1;
        }
        final int bytes = Math.min(length, current.length - at);
        System.arraycopy(current, at, to, offset, bytes);
        at += bytes;
        return bytes;
    }

    /** Waits for the next piece; returns false at the end of the stream. */
    private boolean next() throws IOException {
        final int granted;
        synchronized (this) {
            if (isClosed) {
                throw new IOException("the stream is closed");
            }
            owed += current.length;
            granted = owed >= QUARTER && !hasEnded ? owed : 0;
            owed -= granted;
            credit += granted;
        }
        if (granted > 0) {
            peer.grant(granted);
        }
        synchronized (this) {
            while (pieces.isEmpty() && !hasEnded && !isClosed) {
                try {
                    wait();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    final InterruptedIOException interrupted = new InterruptedIOException("interrupted");
                    interrupted.initCause(e);
                    throw interrupted;
                }
            }
            final byte[] piece = pieces.poll();
            current = piece == null ? new byte[0] : piece;
            at = 0;
            if (piece == null && failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            return piece != null;
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            pieces.clear();
            notifyAll();
            if (hasEnded) {
                return;
            }
        }
        peer.stop();
    }
}
