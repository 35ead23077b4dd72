package tutti.daemon.channel;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
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
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    /** Bytes in the pipe. Guarded by the lock, as the following fields. */
    private long bytes;
    private boolean hasEnded;
    private @Nullable IOException failure;
    private boolean isClosed;

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
            lock.lockInterruptibly();
            try {
                while (bytes >= limit && isOpen()) {
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
            return add(piece);
        } finally {
            turn.unlock();
        }
    }

    private boolean isOpen() {
        return !isClosed && !hasEnded;
    }

    /** Adds a piece as {@link #put} does, however many bytes are in the pipe. */
    public boolean add(final byte[] piece) {
        lock.lock();
        try {
            if (isOpen()) {
                pieces.add(piece);
                bytes += piece.length;
                changed.signalAll();
            }
            return isOpen();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the stream after what is in the pipe. What is written later is dropped. */
    public void end() {
        end(null);
    }

    /** Ends the stream after what is in the pipe with a failure. */
    public void fail(final IOException reason) {
        end(reason);
    }

    private void end(final @Nullable IOException reason) {
        lock.lock();
        try {
            failure = hasEnded ? failure : reason;
            hasEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    byte @Nullable [] next() throws IOException {
        lock.lock();
        try {
            while (pieces.isEmpty() && isOpen()) {
                changed.await();
            }
            final byte[] piece = pieces.poll();
            if (isClosed) {
                throw new IOException("the stream is closed");
            }
            if (piece == null && failure != null) {
                throw new IOException(failure.getMessage(), failure);
            }
            bytes -= piece == null ? 0 : piece.length;
            changed.signalAll();
            return piece;
        } catch (final InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    boolean hasNext() {
        lock.lock();
        try {
            return !pieces.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    static InterruptedIOException interrupted(final InterruptedException e) {
        Thread.currentThread().interrupt();
        final InterruptedIOException interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(e);
        return interrupted;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            pieces.clear();
            bytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
