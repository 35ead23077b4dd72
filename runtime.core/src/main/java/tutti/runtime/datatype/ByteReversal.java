package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reverses the bytes of each primitive element of packed data, which makes it that of another byte order. */
final class ByteReversal {
    private ByteReversal() {}

    /** Reverses the bytes of the primitive elements of {@code count} packed elements of a layout. */
    static void apply(final TypeBlock[] blocks, final MemorySegment packed, final long count) {
        long at = 0;
        for (long i = 0; i < count; i++) {
            for (final TypeBlock block : blocks) {
                reverse(packed, at, block.bytes(), width(block.kind()));
                at += block.bytes();
            }
        }
    }

    /** Returns the bytes of a primitive element, which of a complex number are those of a part. */
    private static int width(final ElementKind kind) {
        return switch (kind) {
            case CHAR, SHORT -> Short.BYTES;
            case INT, FLOAT, FLOAT_COMPLEX -> Integer.BYTES;
            case LONG, DOUBLE, DOUBLE_COMPLEX -> Long.BYTES;
            default -> 1;
        };
    }

    private static void reverse(final MemorySegment packed, final long from, final long bytes, final int width) {
        for (long at = from; at < from + bytes && width > 1; at += width) {
            switch (width) {
                case Short.BYTES -> packed.set(ValueLayout.JAVA_SHORT_UNALIGNED, at,
                    Short.reverseBytes(packed.get(ValueLayout.JAVA_SHORT_UNALIGNED, at)));
                case Integer.BYTES -> packed.set(ValueLayout.JAVA_INT_UNALIGNED, at,
                    Integer.reverseBytes(packed.get(ValueLayout.JAVA_INT_UNALIGNED, at)));
                default -> packed.set(ValueLayout.JAVA_LONG_UNALIGNED, at, Long.reverseBytes(packed.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
            }
        }
    }
}
