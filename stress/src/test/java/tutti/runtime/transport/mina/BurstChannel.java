package tutti.runtime.transport.mina;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** Channel that accepts a number of bytes in each write. It has plain fields: only its user orders accesses of several threads. */
final class BurstChannel implements WritableByteChannel {
    int burst;
    private byte[] bytes = new byte[32];
    private int written;

    BurstChannel(final int burst) {
        this.burst = burst;
    }

    int written() {
        return written;
    }

    int int8(final int at) {
        return bytes[at];
    }

    int int32(final int at) {
        return bytes[at] & 0xFF | (bytes[at + 1] & 0xFF) << 8 | (bytes[at + 2] & 0xFF) << 16 | bytes[at + 3] << 24;
    }

    @Override
    public int write(final ByteBuffer from) {
        final int count = Math.min(burst, from.remaining());
        if (written + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * (written + count));
        }
        from.get(bytes, written, count);
        written += count;
        return count;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        // nothing to close
    }
}
