package tutti.runtime.transport.shm;

import static tutti.runtime.transport.shm.SharedRegion.HEAD;
import static tutti.runtime.transport.shm.SharedRegion.INT;
import static tutti.runtime.transport.shm.SharedRegion.LONG;
import static tutti.runtime.transport.shm.SharedRegion.WANTED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The side of a ring that writes frames.
 *
 * <p>A frame is published by its length, which is written last. Before that, the length of the record that will follow is set to zero, so that the
 * reader never takes old bytes for a length. For this, a cache line behind each record stays free.
 *
 * <p><b>Threads.</b> One thread at a time; {@link #isWanted} may be called by any thread.
 */
final class RingWriter {
    /** Results of {@link #offer}. */
    static final int ACCEPTED = 0;
    static final int FULL = 1;
    static final int CORRUPT = 2;

    private final MemorySegment words;
    private final MemorySegment ring;
    private final int size;
    /** Position behind the last record. */
    private long tail;
    /** The reader's position when it was last looked at. */
    private long head;

    /**
     * Creates the writer of an empty ring.
     *
     * @param words control words of the side that reads
     */
    RingWriter(final MemorySegment words, final MemorySegment ring) {
        this.words = words;
        this.ring = ring;
        this.size = (int) ring.byteSize();
    }

    /** Writes a frame, if it fits. */
    int offer(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset, final int payloadBytes) {
        final int bytes = headerBytes + payloadBytes;
        final int stride = Record.stride(bytes);
        final int end = (int) tail & size - 1;
        final int padding = stride > size - end ? size - end : 0;
        final long next = tail + padding + stride;
        if (next + Record.ALIGN - head > size) {
            final long now = (long) LONG.getAcquire(words, (long) HEAD); // pairs with the release of the reader: it has read up to here
            if (now < head || now > tail) {
                return CORRUPT;
            }
            head = now;
            if (next + Record.ALIGN - now > size) {
                return FULL;
            }
        }
        final int at = padding == 0 ? end : 0;
        final int frameAt = at + Record.frameAt(bytes);
        if (headerBytes > 0) {
            MemorySegment.copy(header, 0, ring, ValueLayout.JAVA_BYTE, frameAt, headerBytes);
        }
        if (payload != null && payloadBytes > 0) {
            MemorySegment.copy(payload, payloadOffset, ring, frameAt + headerBytes, payloadBytes);
        }
        INT.set(ring, next & size - 1, Record.NONE);
        INT.setRelease(ring, (long) at, bytes); // pairs with the acquire of the reader: the frame is complete
        if (padding > 0) {
            INT.setRelease(ring, (long) end, Record.PADDING);
        }
        tail = next;
        return ACCEPTED;
    }

    /** Asks the reader to tell when half of the ring is free. A full fence and another {@link #offer} must follow. */
    void want() {
        LONG.setRelease(words, (long) WANTED, tail - size / 2);
    }

    /** Withdraws {@link #want}. */
    void unwant() {
        LONG.setRelease(words, (long) WANTED, 0L);
    }

    /** Returns whether the reader has not yet told that half of the ring is free. */
    boolean isWanted() {
        return (long) LONG.getAcquire(words, (long) WANTED) != 0;
    }
}
