package tutti.daemon.part;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Output stream that passes its bytes to a consumer in chunks of one size; the last chunk may be shorter. For one thread. */
public final class ChunkedOutput extends OutputStream {
    private final byte[] chunk;
    private final ChunkConsumer consumer;
    private int used;

    /** Consumer of chunks. */
    public interface ChunkConsumer {
        /** Receives a chunk and owns the array. May block. */
        void accept(byte[] chunk) throws InterruptedException;
    }

    /** Creates a stream with chunks of {@code size} bytes. */
    public ChunkedOutput(final int size, final ChunkConsumer consumer) {
        this.chunk = new byte[size];
        this.consumer = consumer;
    }

    @Override
    public void write(final int b) throws IOException {
        chunk[used++] = (byte) b;
        if (used == chunk.length) {
            passChunk();
        }
    }

    private void passChunk() throws IOException {
        try {
            consumer.accept(Arrays.copyOf(chunk, used));
            used = 0;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Passes the last chunk to the consumer. */
    @Override
    public void close() throws IOException {
        if (used > 0) {
            passChunk();
        }
    }
}
