package tutti.coll;

/**
 * A range of a symbolic buffer: {@code bytes} bytes from {@code offset}. Immutable.
 *
 * @param buffer the buffer
 * @param offset first byte, in packed bytes from 0
 * @param bytes  length in packed bytes, 0 or more
 */
public record BufferRange(Buffer buffer, long offset, long bytes) {

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the offset or the length is negative, or their sum overflows
     */
    public BufferRange {
        if (offset < 0 || bytes < 0 || offset + bytes < 0) {
            throw new IllegalArgumentException("range out of bounds: buffer=" + buffer + ", offset=" + offset + ", bytes=" + bytes);
        }
    }

    /**
     * Returns a part of this range.
     *
     * @param from   offset in bytes from the start of this range
     * @param length length in bytes
     * @throws IllegalArgumentException if the part is not within this range
     */
    public BufferRange slice(final long from, final long length) {
        if (from < 0 || length < 0 || from + length > bytes) {
            throw new IllegalArgumentException("slice out of range: offset=" + from + ", bytes=" + length + ", range=" + this);
        }
        return new BufferRange(buffer, offset + from, length);
    }

    /** Returns the offset of the first byte after the range. */
    public long end() {
        return offset + bytes;
    }

    @Override
    public String toString() {
        return buffer + "[" + offset + ".." + end() + ")";
    }
}
