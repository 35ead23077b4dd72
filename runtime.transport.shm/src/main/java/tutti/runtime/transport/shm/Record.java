package tutti.runtime.transport.shm;

/**
 * Format of a record in a ring: its length, an int, then the frame. A record begins at a multiple of a cache line and does not wrap around.
 *
 * <pre>
 *  +------------+-----------------+------+
 *  | length u32 | frame           | zero |    a frame of up to 60 bytes follows its length, and needs one cache line
 *  +------------+----+------------+------+
 *  | length u32 | 12 | frame      | zero |    that of a longer one begins at 16: then what follows a header of 48 bytes is aligned
 *  +------------+----+------------+------+
 *  length 0: not written yet; -1: the next record is at the begin of the ring
 * </pre>
 */
final class Record {
    static final int ALIGN = 64;
    static final int LENGTH = Integer.BYTES;
    /** Longest frame: a header of 48 bytes and 32 KiB. Of a longer message, one piece is written while the one before is read. */
    static final int MAX_FRAME = (32 << 10) + 48;
    static final int MAX_STRIDE = stride(MAX_FRAME);
    static final int NONE = 0;
    static final int PADDING = -1;
    private static final int LONG_FRAME = 16;

    private Record() {}

    /** Returns where the frame begins in its record. */
    static int frameAt(final int bytes) {
        return bytes <= ALIGN - LENGTH ? LENGTH : LONG_FRAME;
    }

    /** Returns the length of the record of a frame. */
    static int stride(final int bytes) {
        return frameAt(bytes) + bytes + ALIGN - 1 & -ALIGN;
    }
}
