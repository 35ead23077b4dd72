package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.protocol.Protocol;

/**
 * Pipe between a thread that has bytes and one that reads them, each of which waits for the other one for a limited time. Closing it
 * ends both.
 */
final class BoundedPipe extends InputStream {
    /** How long the peer may take to write what it was sent, or to send what it was asked for: its disk may be busy with the data of many ranks. */
    static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int PIECES = 4;
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(PIECES);
    private volatile boolean isClosed;
    private byte[] current = new byte[0];
    private int at;
    private boolean hasEnded;

    /** Source of the bytes of a pipe. */
    @FunctionalInterface
    interface Source {
        /** Puts the bytes into the pipe. */
        void fill(BoundedPipe pipe) throws IOException;
    }

    /**
     * Adds a piece, which is not empty; the caller gives up the array.
     *
     * @return false when the pipe is closed
     * @throws IOException when nobody reads
     */
    boolean put(final byte[] piece) throws IOException {
        try {
            if (!isClosed && !pieces.offer(piece, LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IOException("file is not taken: limit=" + LIMIT.toSeconds() + " s");
            }
            return !isClosed;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Adds all bytes of a stream. */
    void putAll(final InputStream from) throws IOException {
        byte[] piece = read(from);
        while (piece.length > 0 && put(piece)) {
            piece = read(from);
        }
    }

    private static byte[] read(final InputStream from) throws IOException {
        final byte[] piece = new byte[Protocol.CHUNK];
        final int bytes = from.read(piece);
        return bytes == piece.length ? piece : Arrays.copyOf(piece, Math.max(0, bytes));
    }

    /** Ends the bytes. */
    void end() throws IOException {
        put(END);
    }

    @Override
    public int read() throws IOException {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(final byte[] to, final int offset, final int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (at == current.length && !hasEnded) {
            current = next();
            at = 0;
            hasEnded = current.length == 0;
        }
        if (hasEnded) {
            return -1;
        }
        final int bytes = Math.min(length, current.length - at);
        System.arraycopy(current, at, to, offset, bytes);
        at += bytes;
        return bytes;
    }

    private byte[] next() throws IOException {
        try {
            final byte[] piece = isClosed ? END : pieces.poll(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            if (isClosed) {
                throw new IOException("the stream is closed");
            }
            if (piece == null) {
                throw new IOException("file did not arrive: limit=" + LIMIT.toSeconds() + " s");
            }
            return piece;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends both threads. */
    void stop() {
        isClosed = true;
        pieces.clear();
        // wakes the reader
        pieces.offer(END);
    }

    @Override
    public void close() {
        stop();
    }
}
