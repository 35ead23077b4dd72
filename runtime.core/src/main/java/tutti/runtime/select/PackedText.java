package tutti.runtime.select;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/** Short texts in arrays of long, to be exchanged like numbers. */
final class PackedText {
    private PackedText() { }

    /** Writes what fits of a text. */
    static void write(final String text, final long[] into, final int offset, final int longs) {
        final ByteBuffer bytes = ByteBuffer.allocate(longs * Long.BYTES);
        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text), bytes, true);
        bytes.rewind().asLongBuffer().get(into, offset, longs);
    }

    /** Reads a text back. */
    static String read(final long[] from, final int offset, final int longs) {
        final ByteBuffer bytes = ByteBuffer.allocate(longs * Long.BYTES);
        bytes.asLongBuffer().put(from, offset, longs);
        int length = 0;
        while (length < bytes.capacity() && bytes.get(length) != 0) {
            length++;
        }
        return new String(bytes.array(), 0, length, StandardCharsets.UTF_8);
    }
}
