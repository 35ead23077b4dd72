package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;

/** A buffer of some kind for items of some layout, filled with a pattern; it records its expected contents. For one thread. */
final class TestBuffer {
    /** The kind of the buffer. */
    enum Kind {
        /** An array. */
        ARRAY,
        /** Memory outside the heap. */
        DIRECT,
        /** A slice of a buffer over a part of an array. */
        SLICE
    }

    private static final int CANARY = 0x5a;
    /** Bytes before and after the items. */
    private static final int GUARD = 16;

    final ItemLayout laid;
    private final Object buffer;
    private final MemorySegment whole;
    private final int start;
    private final byte[] expected;

    TestBuffer(final ItemLayout laid, final Kind kind, final int items) {
        this.laid = laid;
        final int length = (laid.span(items) + GUARD + 3) / 4 * 4;
        this.start = kind == Kind.SLICE ? GUARD : 0;
        if (kind == Kind.DIRECT) {
            final ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.nativeOrder());
            this.buffer = laid.ints() ? bytes.asIntBuffer() : bytes;
            this.whole = MemorySegment.ofBuffer(bytes);
        } else if (laid.ints()) {
            final int[] array = new int[(start + length) / 4];
            this.buffer = kind == Kind.ARRAY ? array : IntBuffer.wrap(array, start / 4, length / 4).slice();
            this.whole = MemorySegment.ofArray(array);
        } else {
            final byte[] array = new byte[start + length];
            this.buffer = kind == Kind.ARRAY ? array : ByteBuffer.wrap(array, start, length).slice();
            this.whole = MemorySegment.ofArray(array);
        }
        this.expected = new byte[start + length];
        Arrays.fill(expected, (byte) CANARY);
        whole.fill((byte) CANARY);
    }

    /** Returns the buffer to pass to the call. */
    Object buffer() {
        return buffer;
    }

    /** Expects these packed items from item {@code at} on. */
    TestBuffer expect(final int at, final byte[] packed) {
        for (int i = 0; i < packed.length; i++) {
            expected[start + (at + i / laid.size()) * laid.extent() + laid.bytes()[i % laid.size()]] = packed[i];
        }
        return this;
    }

    /** Stores these packed items from item {@code at} on, and expects them to stay. */
    TestBuffer fill(final int at, final byte[] packed) {
        expect(at, packed);
        MemorySegment.copy(expected, 0, whole, ValueLayout.JAVA_BYTE, 0, expected.length);
        return this;
    }

    /** Checks that the buffer holds the expected items, and the pattern everywhere else. */
    void verify(final String what) {
        assertArrayEquals(expected, whole.toArray(ValueLayout.JAVA_BYTE), () -> what + " of " + laid);
    }
}
