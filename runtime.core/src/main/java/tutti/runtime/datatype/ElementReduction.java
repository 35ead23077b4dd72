package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Operations on a few numbers, one by one. Short data is combined here and never in the loops of a {@link ReductionKernel}: the JIT compiles these as
 * they have run until then, and without vectors when they mostly had a few entries. Long data was combined four to six times slower ever after.
 *
 * <p>Integers are computed in 64 bits, of which the lower ones are kept, and floats in doubles, which gives the same results.
 */
final class ElementReduction {
    /** Most elements that are combined one by one. */
    static final int MOST = 8;

    private static final ValueLayout.OfChar CHAR = ValueLayout.JAVA_CHAR_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private ElementReduction() {}

    /** Returns whether elements of a kind are combined here: single numbers and booleans. */
    static boolean has(final ElementKind kind) {
        return kind.ordinal() <= ElementKind.DOUBLE.ordinal();
    }

    /** Computes {@code inout = in op inout} over packed elements; the ranges were checked. */
    static void apply(final OpCode op, final ElementKind kind, final MemorySegment in, final long inOffset, final MemorySegment inout,
        final long inoutOffset, final long count) {
        final int size = kind.bytes();
        for (long done = 0; done < count * size; done += size) {
            applyOne(op, kind, in, inOffset + done, inout, inoutOffset + done);
        }
    }

    private static void applyOne(final OpCode op, final ElementKind kind, final MemorySegment in, final long from, final MemorySegment inout,
        final long at) {
        switch (kind) {
            case BYTE, BOOLEAN -> inout.set(ValueLayout.JAVA_BYTE, at,
                (byte) integer(op, in.get(ValueLayout.JAVA_BYTE, from) & 0xFF, inout.get(ValueLayout.JAVA_BYTE, at) & 0xFF));
            case CHAR -> inout.set(CHAR, at, (char) integer(op, in.get(CHAR, from), inout.get(CHAR, at)));
            case SHORT -> inout.set(SHORT, at, (short) integer(op, in.get(SHORT, from), inout.get(SHORT, at)));
            case INT -> inout.set(INT, at, (int) integer(op, in.get(INT, from), inout.get(INT, at)));
            case LONG -> inout.set(LONG, at, integer(op, in.get(LONG, from), inout.get(LONG, at)));
            case FLOAT -> inout.set(FLOAT, at, (float) real(op, in.get(FLOAT, from), inout.get(FLOAT, at)));
            default -> inout.set(DOUBLE, at, real(op, in.get(DOUBLE, from), inout.get(DOUBLE, at)));
        }
    }

    private static long integer(final OpCode op, final long a, final long b) {
        return switch (op) {
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case SUM -> a + b;
            case PROD -> a * b;
            case LAND -> a != 0 & b != 0 ? 1 : 0;
            case LOR -> (a | b) != 0 ? 1 : 0;
            case LXOR -> a != 0 ^ b != 0 ? 1 : 0;
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            default -> throw ReductionKernel.undefined(op);
        };
    }

    private static double real(final OpCode op, final double a, final double b) {
        return switch (op) {
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case SUM -> a + b;
            case PROD -> a * b;
            default -> throw ReductionKernel.undefined(op);
        };
    }
}
