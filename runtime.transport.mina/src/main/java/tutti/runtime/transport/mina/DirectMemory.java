package tutti.runtime.transport.mina;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * Off-heap memory that is released on close, independent of garbage collection.
 *
 * <p>{@link #view} has a position and a limit, so only one thread at a time may use it. Access after {@link #close} throws
 * {@link IllegalStateException}.
 *
 * <p><b>Threads.</b> Any thread may close it; a thread that accesses it at the same time gets the exception, and is interrupted: see
 * {@link tutti.runtime.transport.AccessInterrupt}.
 */
final class DirectMemory implements AutoCloseable {
    private static final LongAdder IN_USE = new LongAdder();
    /** Memory of no bytes, for a user that has not needed any yet. To close it has no effect. */
    static final DirectMemory NONE = new DirectMemory(0);

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

    /** Returns a view of {@code bytes} bytes from {@code at} on, for a channel. */
    ByteBuffer view(final int at, final int bytes) {
        return view.limit(at + bytes).position(at);
    }

    int size() {
        return view.capacity();
    }

    /** Returns the bytes that all links of this bundle have allocated. */
    static long inUse() {
        return IN_USE.sum();
    }

    @Override
    public void close() {
        if (this != NONE) {
            arena.close();
            IN_USE.add(-size());
        }
    }
}
