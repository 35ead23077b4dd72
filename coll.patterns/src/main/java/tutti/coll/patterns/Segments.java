package tutti.coll.patterns;

import tutti.coll.BufferRange;

/**
 * Division of data into segments that are transferred one after the other: all of one length except the last, each of whole elements.
 *
 * @param length length of a segment in bytes, more than 0
 */
public record Segments(long length) {

    /**
     * Returns the segments of some data. They are longer than wanted where there would be too many, since every segment makes a plan longer.
     *
     * @param wanted  requested length of a segment in bytes
     * @param bytes   length of the data, or of the longest piece of data that is divided alike
     * @param element length of an element, which is not divided
     * @param most    largest number of segments
     */
    public static Segments of(final long wanted, final long bytes, final long element, final int most) {
        final long elements = Math.ceilDiv(bytes, element);
        return new Segments(element * Math.max(Math.max(1, wanted / element), Math.ceilDiv(elements, most)));
    }

    /** Returns the number of segments of data of that length; 0 if it is empty. */
    public int count(final long bytes) {
        return (int) Math.ceilDiv(bytes, length);
    }

    /** Returns the length of segment {@code i} of data of that length. */
    public long bytes(final long bytes, final int i) {
        return Math.min(length, bytes - i * length);
    }

    /** Returns the length of the longest segment of data of that length. */
    public long longest(final long bytes) {
        return Math.min(length, bytes);
    }

    /** Returns segment {@code i} of the data. */
    public BufferRange of(final BufferRange data, final int i) {
        return data.slice(i * length, bytes(data.bytes(), i));
    }
}
