package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ReadableByteChannel;

/**
 * Reads a channel into its own memory and finds the frames in it. Used by the I/O thread only.
 *
 * <p>The memory is small until a long frame or a full read shows that the link is busy. Until a long frame is complete, no more than its remaining
 * bytes and the next length are read, so that the next frame starts near the front and large data is never moved.
 */
final class FrameReader implements AutoCloseable {
    static final int MIN_SIZE = 8 << 10;
    static final int MAX_SIZE = (2 * (WireFormat.FRAME_HEADER + WireFormat.MAX_FRAME) + 4095) & -4096;
    private static final int LONG_FRAME = 16 << 10;

    private DirectMemory memory = DirectMemory.NONE;
    private int start;
    private int end;
    /** Length of the frame at {@code start}, header included, as far as it is known and was checked. */
    private int expected = WireFormat.FRAME_HEADER;
    private boolean full;
    private long received;

    /**
     * Reads once.
     *
     * @return the number of bytes, 0 if there are none now, -1 at the end of the stream
     */
    int fill(final ReadableByteChannel channel) throws IOException {
        int requested = makeSpace();
        int bytes = channel.read(memory.view(end, requested));
        full = bytes == requested;
        if (bytes > 0) {
            end += bytes;
            received += bytes;
        }
        return bytes;
    }

    /** Returns whether the last {@link #fill} filled all the space it had, so that there may be more bytes. */
    boolean mayHaveMore() {
        return full;
    }

    /** Returns the number of bytes received so far; it shows whether the peer is alive. */
    long received() {
        return received;
    }

    MemorySegment memory() {
        return memory.segment();
    }

    /** Returns the offset of the first byte that was not consumed. */
    int start() {
        return start;
    }

    int available() {
        return end - start;
    }

    void consume(final int bytes) {
        start += bytes;
        expected = WireFormat.FRAME_HEADER;
    }

    /**
     * Checks the frame that starts here.
     *
     * @return its length without the header if all of it has arrived, -1 otherwise
     * @throws ProtocolException if its stated length is above the limit
     */
    int wholeFrame() throws ProtocolException {
        if (end - start < WireFormat.FRAME_HEADER) {
            return -1;
        }
        int length = memory.segment().get(WireFormat.INT, start);
        if (length < 0 || length > WireFormat.MAX_FRAME) {
            throw new ProtocolException("frame too long: bytes=" + Integer.toUnsignedLong(length) + ", max=" + WireFormat.MAX_FRAME);
        }
        expected = WireFormat.FRAME_HEADER + length;
        return end - start < expected ? -1 : length;
    }

    /** Makes space behind {@code end} and returns how many bytes to read. */
    private int makeSpace() {
        if (memory == DirectMemory.NONE) {
            memory = new DirectMemory(MIN_SIZE);
        }
        if (start == end) {
            start = 0;
            end = 0;
        }
        if (memory.size() < MAX_SIZE && (full || expected > memory.size())) {
            grow();
        } else if (start + expected > memory.size() || end == memory.size()) {
            MemorySegment.copy(memory.segment(), start, memory.segment(), 0, end - start);
            end -= start;
            start = 0;
        }
        int rest = start + expected - end;
        return rest > LONG_FRAME ? Math.min(rest + WireFormat.FRAME_HEADER, memory.size() - end) : memory.size() - end;
    }

    private void grow() {
        DirectMemory larger = new DirectMemory(MAX_SIZE);
        MemorySegment.copy(memory.segment(), start, larger.segment(), 0, end - start);
        memory.close();
        memory = larger;
        end -= start;
        start = 0;
    }

    @Override
    public void close() {
        memory.close();
        memory = DirectMemory.NONE;
    }
}
