package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ReadableByteChannel;

/**
 * Reads a channel into its own memory and finds the frames in it. Used by the I/O thread alone.
 *
 * <p>The memory is small until a long frame or a full read shows that the link is busy. While a long frame is under way no more than its rest
 * and the next length are read, so that the frame after it starts near the front and nothing large is ever moved.
 */
final class FrameReader implements AutoCloseable {
    static final int SMALL = 8 << 10;
    static final int LARGE = (2 * (WireFormat.FRAME_HEADER + WireFormat.MAX_FRAME) + 4095) & -4096;
    private static final int LONG_FRAME = 16 << 10;

    private DirectMemory memory;
    private int start;
    private int end;
    /** Bytes of the frame that starts at {@code start}, header included, as far as they are known and were checked. */
    private int expected = WireFormat.FRAME_HEADER;
    private boolean full;
    private long received;

    /**
     * Reads once.
     *
     * @return the number of bytes, 0 when there are none now, -1 at the end of the stream
     */
    int fill(final ReadableByteChannel channel) throws IOException {
        int asked = makeRoom();
        int bytes = channel.read(memory.view(end, asked));
        full = bytes == asked;
        if (bytes > 0) {
            end += bytes;
            received += bytes;
        }
        return bytes;
    }

    /** Whether the last {@link #fill} got all it asked for, so that there may be more. */
    boolean mayHaveMore() {
        return full;
    }

    /** All bytes so far; shows whether the peer is alive. */
    long received() {
        return received;
    }

    MemorySegment memory() {
        return memory.segment();
    }

    /** Where the first byte lies that was not consumed. */
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
     * Looks at the frame that starts here.
     *
     * @return its length without the header when all of it is there, -1 otherwise
     * @throws ProtocolException when its stated length is above the cap
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

    /** Sees to room behind {@code end} and says how much of it to read. */
    private int makeRoom() {
        if (memory == null) {
            memory = new DirectMemory(SMALL);
        }
        if (start == end) {
            start = 0;
            end = 0;
        }
        if (memory.size() < LARGE && (full || expected > memory.size())) {
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
        DirectMemory larger = new DirectMemory(LARGE);
        MemorySegment.copy(memory.segment(), start, larger.segment(), 0, end - start);
        memory.close();
        memory = larger;
        end -= start;
        start = 0;
    }

    @Override
    public void close() {
        if (memory != null) {
            memory.close();
            memory = null;
        }
    }
}
