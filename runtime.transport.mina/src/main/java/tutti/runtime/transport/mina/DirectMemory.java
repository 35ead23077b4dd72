package tutti.runtime.transport.mina;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * Memory outside the heap that is given back when it is closed and not when a collector comes by.
 *
 * <p>{@link #view} has a position and a limit, so only one thread at a time may use it. Access after {@link #close} throws
 * {@link IllegalStateException}.
 */
final class DirectMemory implements AutoCloseable {
    private static final LongAdder IN_USE = new LongAdder();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final ByteBuffer view;

    DirectMemory(final int bytes) {
        segment = arena.allocate(bytes, 64);
        view = segment.asByteBuffer();
        IN_USE.add(bytes);
    }

    MemorySegment segment() {
        return segment;
    }

    /** The bytes from {@code at} on for a channel. */
    ByteBuffer view(final int at, final int bytes) {
        return view.limit(at + bytes).position(at);
    }

    int size() {
        return view.capacity();
    }

    /** Bytes that are set aside now, by all links of this bundle. */
    static long inUse() {
        return IN_USE.sum();
    }

    @Override
    public void close() {
        arena.close();
        IN_USE.add(-size());
    }
}
