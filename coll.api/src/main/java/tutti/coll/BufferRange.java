package tutti.coll;

/**
 * A piece of a symbolic buffer: {@code bytes} bytes from {@code offset}.
 *
 * @param buffer which buffer
 * @param offset first byte, in packed bytes from 0
 * @param bytes  length in packed bytes, 0 allowed
 */
public record BufferRange(Buffer buffer, long offset, long bytes) {

    /** Refuses a negative offset or length. */
    public BufferRange {
        if (offset < 0 || bytes < 0 || offset + bytes < 0) {
            throw new IllegalArgumentException("span out of range: buffer=" + buffer + ", offset=" + offset + ", bytes=" + bytes);
        }
    }

    /**
     * A piece of this span.
     *
     * @param from   offset from the start of this span
     * @param length bytes
     * @throws IllegalArgumentException when it does not lie within this span
     */
    public BufferRange slice(final long from, final long length) {
        if (from < 0 || length < 0 || from + length > bytes) {
            throw new IllegalArgumentException("slice out of range: offset=" + from + ", bytes=" + length + ", span=" + this);
        }
        return new BufferRange(buffer, offset + from, length);
    }

    /** The first byte after the span. */
    public long end() {
        return offset + bytes;
    }

    @Override
    public String toString() {
        return buffer + "[" + offset + ".." + end() + ")";
    }
}
