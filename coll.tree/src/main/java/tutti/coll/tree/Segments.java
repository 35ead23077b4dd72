package tutti.coll.tree;

import tutti.coll.BufferRange;

/**
 * Division of data into segments: all of one length except the last, each of whole elements.
 *
 * <p>To bound the size of plans there are at most {@value #MAX_SEGMENTS}, and a rank exchanges with its children at most {@value #MAX_MESSAGES}
 * messages each way. Segments are longer where there would be more.
 *
 * @param length length of a segment in bytes, more than 0
 * @param count  number of segments; 0 if there is no data
 */
record Segments(long length, int count) {
    /** Largest number of segments. */
    static final int MAX_SEGMENTS = 256;
    /** Largest number of messages between a rank and its children, unless it has more children. */
    static final int MAX_MESSAGES = 4096;

    /**
     * Divides data.
     *
     * @param wanted  requested length of a segment in bytes
     * @param bytes   length of the data
     * @param element length of an element, which is not divided
     * @param degree  largest number of children of a rank
     */
    static Segments of(final long wanted, final long bytes, final long element, final int degree) {
        final int most = Math.clamp(MAX_MESSAGES / Math.max(1, degree), 1, MAX_SEGMENTS);
        final long elements = Math.ceilDiv(bytes, element);
        final long length = element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(elements, most));
        return new Segments(length, (int) Math.ceilDiv(bytes, length));
    }

    /** Returns the length of the longest segment of the data. */
    long longest(final long bytes) {
        return Math.min(length, bytes);
    }

    /** Returns segment {@code i} of the data. */
    BufferRange of(final BufferRange data, final int i) {
        final long from = i * length;
        return data.slice(from, Math.min(length, data.bytes() - from));
    }
}
