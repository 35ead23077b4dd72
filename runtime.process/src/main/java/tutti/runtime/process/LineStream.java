package tutti.runtime.process;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import tutti.runtime.process.owner.RankOutput;

/**
 * An output stream of a rank: collects bytes until the end of a line and passes whole lines to the output. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock guards the buffer, and is held while the output accepts bytes, so lines of several threads are never mixed. The end is
 * volatile and set without the lock, since a writer may wait for the output. {@link #finish} waits for the lock for a limited time.
 */
final class LineStream extends OutputStream {
    /** The size in bytes above which a line is passed on in pieces. */
    static final int MAX_PARTIAL = 64 * 1024;

    private final boolean error;
    private final RankOutput output;
    private final Runnable refused;
    private final ReentrantLock lock = new ReentrantLock();
    private byte[] partial = new byte[128];
    private int length;
    private volatile boolean ended;

    /**
     * Creates a stream.
     *
     * @param error   whether it is standard error
     * @param output  receives the lines
     * @param refused run by threads that write when the stream has ended
     */
    LineStream(final boolean error, final RankOutput output, final Runnable refused) {
        this.error = error;
        this.output = output;
        this.refused = refused;
    }

    @Override
    public void write(final int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int count) {
        Objects.checkFromIndexSize(offset, count, bytes.length);
        lock.lock();
        try {
            if (!ended) {
                append(bytes, offset, count);
                return;
            }
        } finally {
            lock.unlock();
        }
        refused.run();
    }

    private void append(final byte[] bytes, final int offset, final int count) {
        final int lines = wholeLines(bytes, offset, count);
        if (lines > 0) {
            append(bytes, offset, lines, 0);
        }
        append(bytes, offset + lines, count - lines, MAX_PARTIAL);
    }

    private static int wholeLines(final byte[] bytes, final int offset, final int count) {
        int n = count;
        while (n > 0 && bytes[offset + n - 1] != '\n') {
            n--;
        }
        return n;
    }

    /** Buffers the bytes when at most {@code limit} are buffered then, else passes on all; bytes are not copied when the buffer is empty. */
    private void append(final byte[] bytes, final int offset, final int count, final int limit) {
        if (length > 0 || count <= limit) {
            if (length + count > partial.length) {
                partial = Arrays.copyOf(partial, Math.max(length + count, Math.min(2 * partial.length, MAX_PARTIAL)));
            }
            System.arraycopy(bytes, offset, partial, length, count);
            length += count;
            if (length > limit) {
                handOver();
            }
        } else {
            output.write(error, bytes, offset, count);
        }
    }

    private void handOver() {
        final int count = length;
        length = 0;
        if (count > 0) {
            output.write(error, partial, 0, count);
        }
        if (partial.length > MAX_PARTIAL) {
            partial = new byte[128];
        }
    }

    /** Ends the stream: what is written from now on is lost. */
    void refuse() {
        ended = true;
    }

    /**
     * Passes on the last line when it has no end.
     *
     * @return false when another thread does not return from the output within {@code millis}
     */
    boolean finish(final long millis) throws InterruptedException {
        if (!lock.tryLock(millis, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            handOver();
            return true;
        } finally {
            lock.unlock();
        }
    }
}
