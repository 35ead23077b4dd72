package tutti.runtime.select;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/** Packs short texts into arrays of long, so that they can be exchanged like numbers. */
public final class PackedText {
    private PackedText() {}

    /** Writes a text as UTF-8, cut off after {@code longs} longs. */
    public static void write(final String text, final long[] into, final int offset, final int longs) {
        final ByteBuffer bytes = ByteBuffer.allocate(longs * Long.BYTES);
        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text), bytes, true);
        bytes.rewind().asLongBuffer().get(into, offset, longs);
    }

    /** Reads a text that {@link #write} wrote. */
    public static String read(final long[] from, final int offset, final int longs) {
        final ByteBuffer bytes = ByteBuffer.allocate(longs * Long.BYTES);
        bytes.asLongBuffer().put(from, offset, longs);
        int length = 0;
        while (length < bytes.capacity() && bytes.get(length) != 0) {
            length++;
        }
        return new String(bytes.array(), 0, length, StandardCharsets.UTF_8);
    }

    /** Returns what {@link #read} returns for a text that was written. */
    static String shortened(final String text, final int longs) {
        final long[] packed = new long[longs];
        write(text, packed, 0, longs);
        return read(packed, 0, longs);
    }
}
