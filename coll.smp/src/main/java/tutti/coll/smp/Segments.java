package tutti.coll.smp;

import tutti.coll.BufferRange;

/**
 * Data cut into segments that are transferred one after the other. Every segment has whole elements, and all but the last have the same length.
 *
 * @param bytes  length of the data in bytes
 * @param length length of a segment in bytes
 */
record Segments(long bytes, long length) {
    /** The largest number of segments, which keeps plans short. Longer data has longer segments. */
    static final int MAX_COUNT = 32;

    /**
     * Returns the segments of some data.
     *
     * @param wanted  desired length of a segment in bytes
     * @param bytes   length of the data in bytes
     * @param element length of an element in bytes
     */
    static Segments of(final long wanted, final long bytes, final long element) {
        return new Segments(bytes, element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(bytes / element, MAX_COUNT)));
    }

    int count() {
        return (int) Math.ceilDiv(bytes, length);
    }

    /** Returns the length of segment {@code i} in bytes. */
    long bytes(final int i) {
        return Math.min(length, bytes - i * length);
    }

    /** Returns the range of segment {@code i} within {@code data}. */
    BufferRange of(final BufferRange data, final int i) {
        return data.slice(i * length, bytes(i));
    }
}
