package tutti.daemon.introspect;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Hands on what is written in pieces of one size, the last one shorter. For one thread. */
public final class ChunkedOutput extends OutputStream {
    private final byte[] chunk;
    private final ChunkConsumer taker;
    private int used;

    /** Takes the pieces. */
    public interface ChunkConsumer {
        /** Takes one, which is given away. May block. */
        void take(byte[] piece) throws InterruptedException;
    }

    /** Pieces of that size. */
    public ChunkedOutput(final int size, final ChunkConsumer taker) {
        this.chunk = new byte[size];
        this.taker = taker;
    }

    @Override
    public void write(final int b) throws IOException {
        chunk[used++] = (byte) b;
        if (used == chunk.length) {
            pass();
        }
    }

    private void pass() throws IOException {
        try {
            taker.take(Arrays.copyOf(chunk, used));
            used = 0;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Hands on the last piece. */
    @Override
    public void close() throws IOException {
        if (used > 0) {
            pass();
        }
    }
}
