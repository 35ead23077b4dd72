package tutti.runtime.transport.shm;

import static tutti.runtime.transport.shm.SharedRegion.HEAD;
import static tutti.runtime.transport.shm.SharedRegion.INT;
import static tutti.runtime.transport.shm.SharedRegion.LONG;
import static tutti.runtime.transport.shm.SharedRegion.WANTED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import tutti.runtime.transport.LinkHandler;

/**
 * The side of a ring that reads frames. It passes them to the handler where they are, without a copy, and checks each length that the peer wrote.
 *
 * <p><b>Threads.</b> One thread at a time: the one that holds the link's token. {@link #hasRecord} may be called by any.
 */
final class RingReader {
    /** Most records that are read by one call, so that a link does not keep a thread. */
    private static final int MAX_RECORDS = 256;
    /** The sender hears of this part of the ring at the latest. */
    private static final int PARTS = 8;

    private final MemorySegment words;
    private final MemorySegment ring;
    private final int size;
    /** Position behind the last record that was read. */
    private long head;
    /** The position that the sender knows. */
    private long published;

    /**
     * Creates the reader of an empty ring.
     *
     * @param words control words of the side that reads
     */
    RingReader(final MemorySegment words, final MemorySegment ring) {
        this.words = words;
        this.ring = ring;
        this.size = (int) ring.byteSize();
    }

    /**
     * Returns whether a record is there to be read. Any thread may call it: while another thread reads, the answer may be of a moment ago.
     *
     * @throws IllegalStateException when the memory was released
     */
    boolean hasRecord() {
        return (int) INT.getAcquire(ring, head & size - 1) != Record.NONE;
    }

    /**
     * Passes frames to a handler, as many as the ring holds at most, while the link is open. Returns whether anything was read.
     *
     * @throws IOException when the ring holds what no sender writes
     */
    boolean read(final ShmLink link, final LinkHandler handler) throws IOException {
        final long first = head;
        for (int i = 0; i < MAX_RECORDS && head - first < size && link.isOpen(); i++) {
            final int at = (int) head & size - 1;
            final int bytes = (int) INT.getAcquire(ring, (long) at); // read once: the peer could change it
            if (bytes == Record.NONE) {
                break;
            }
            if (bytes == Record.PADDING && at != 0) {
                head += size - at;
                continue;
            }
            if (bytes < 1 || bytes > Record.MAX_FRAME || Record.stride(bytes) > size - at) {
                throw new IOException("peer wrote a frame of invalid length: peer=" + link.peer() + ", bytes=" + bytes);
            }
            handler.frame(link, ring, at + Record.frameAt(bytes), bytes);
            head += Record.stride(bytes);
            if (head - published >= size / PARTS) {
                publish();
            }
        }
        if (head == first) {
            return false;
        }
        publish();
        return true;
    }

    private void publish() {
        published = head;
        LONG.setRelease(words, (long) HEAD, head);
    }

    /** Returns whether the sender wants to hear of room and now has it; then it is to be woken. A full fence after {@link #read} must precede. */
    boolean takeWanted() {
        final long wanted = (long) LONG.getAcquire(words, (long) WANTED);
        if (wanted == 0 || head - wanted < 0) {
            return false;
        }
        LONG.setRelease(words, (long) WANTED, 0L);
        return true;
    }
}
