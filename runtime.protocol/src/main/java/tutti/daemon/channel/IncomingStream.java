package tutti.daemon.channel;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a call whose bytes come from the other end. That end sends no byte before this one reads, and then as many as it has credit for. Read by
 * one thread at a time; closing it tells the other end to send no more.
 */
final class IncomingStream extends PieceStream {
    /** Most bytes that the other end may have sent and nobody has read. */
    static final int WINDOW = 1 << 20;
    private static final int QUARTER = WINDOW / 4;

    private final Peer peer;
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    /** Bytes that the other end may still send. */
    private int credit;
    /** Bytes that were read, and for which no credit was granted yet. */
    private int owed = WINDOW;
    /** Bytes of the piece that is read now. */
    private int taken;
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
    byte @Nullable [] next() throws IOException {
        final int granted;
        synchronized (this) {
            if (isClosed) {
                throw new IOException("the stream is closed");
            }
            owed += taken;
            taken = 0;
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
                    throw BytePipe.interrupted(e);
                }
            }
            final byte[] piece = pieces.poll();
            taken = piece == null ? 0 : piece.length;
            if (piece == null && failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            return piece;
        }
    }

    @Override
    synchronized boolean hasNext() {
        return !pieces.isEmpty();
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
