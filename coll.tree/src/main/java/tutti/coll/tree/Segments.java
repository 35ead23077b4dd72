package tutti.coll.tree;

import tutti.coll.BufferRange;

/**
 * How data is cut into segments: all of one length but the last, each of whole elements.
 *
 * <p>So that plans stay short there are at most {@value #MOST}, and a rank gets from its children, or gives them, at most {@value #MOST_MESSAGES}
 * messages: where more would be needed segments are longer.
 *
 * @param length bytes of a segment, more than 0
 * @param count  how many there are; none when there is no data
 */
record Segments(long length, int count) {
    /** Most segments. */
    static final int MOST = 256;
    /** Most messages between a rank and its children, unless it has more children. */
    static final int MOST_MESSAGES = 4096;

    /**
     * Cuts.
     *
     * @param wanted  bytes per segment
     * @param bytes   of the data
     * @param element bytes that stay together
     * @param degree  the most children of a rank
     */
    static Segments of(final long wanted, final long bytes, final long element, final int degree) {
        final int most = Math.clamp(MOST_MESSAGES / Math.max(1, degree), 1, MOST);
        final long elements = Math.ceilDiv(bytes, element);
        final long length = element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(elements, most));
        return new Segments(length, (int) Math.ceilDiv(bytes, length));
    }

    /** Bytes of the longest segment of the data. */
    long longest(final long bytes) {
        return Math.min(length, bytes);
    }

    /** Segment {@code i}. */
    BufferRange of(final BufferRange data, final int i) {
        final long from = i * length;
        return data.slice(from, Math.min(length, data.bytes() - from));
    }
}
