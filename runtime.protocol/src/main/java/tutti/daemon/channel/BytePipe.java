package tutti.daemon.channel;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Pipe from threads that have bytes to one that reads them as a stream. Who writes waits while too many bytes are in the pipe, in the order of the
 * calls. Pieces are never mixed. Closing the stream ends the pipe for both ends.
 */
public final class BytePipe extends PieceStream {
    private final int limit;
    /** Held by the one thread that waits for room. The others queue for the lock, so that they do not overtake it. */
    private final ReentrantLock turn = new ReentrantLock(true);
    /** Bytes in the pipe. Guarded by this object. */
    private long bytes;

    /**
     * Creates a pipe.
     *
     * @param limit number of bytes in the pipe from which on {@link #put} waits
     */
    public BytePipe(final int limit) {
        this.limit = limit;
    }

    /** Waits until the pipe has room, and adds a piece, whose array the caller gives up; returns false when nobody reads any more. */
    public boolean put(final byte[] piece) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            synchronized (this) {
                while (bytes >= limit && isOpen()) {
                    wait();
                }
            }
            return add(piece);
        } finally {
            turn.unlock();
        }
    }

    /** Adds a piece as {@link #put} does, however many bytes are in the pipe. */
    @Override
    public synchronized boolean add(final byte[] piece) {
        bytes += isOpen() ? piece.length : 0;
        return super.add(piece);
    }

    /** Ends the stream after what is in the pipe. What is written later is dropped. */
    public void end() {
        end(null);
    }

    /** Ends the stream after what is in the pipe with a failure. */
    public void fail(final IOException reason) {
        end(reason);
    }

    @Override
    synchronized byte @Nullable [] next() throws IOException {
        final byte[] piece = take();
        checkNotClosed();
        bytes -= piece == null ? 0 : piece.length;
        notifyAll();
        return piece;
    }
}
