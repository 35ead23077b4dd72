package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Operations on bytes: unsigned integers, and booleans. */
final class ByteReductionKernel extends ReductionKernel {

    ByteReductionKernel() {
        super(Byte.BYTES, 1);
    }

    @Override
    Object newArray(final int length) {
        return new byte[length];
    }

    @Override
    MemorySegment segment(final Object array) {
        return MemorySegment.ofArray((byte[]) array);
    }

    @Override
    @Nullable
    Object array(final MemorySegment memory) {
        return memory.isNative() || !(memory.heapBase().orElse(null) instanceof final byte[] array) ? null : array;
    }

    @Override
    void run(final OpCode op, final Object in, final Object inout, final int from, final int to) {
        final byte[] a = (byte[]) in;
        final byte[] b = (byte[]) inout;
        switch (op) {
            case MAX -> {
                for (int k = from; k < to; k++) {
                    b[k] = (byte) Math.max(a[k] & 0xFF, b[k] & 0xFF);
                }
            }
            case MIN -> {
                for (int k = from; k < to; k++) {
                    b[k] = (byte) Math.min(a[k] & 0xFF, b[k] & 0xFF);
                }
            }
            case SUM -> {
                for (int k = from; k < to; k++) {
                    b[k] += a[k];
                }
            }
            case PROD -> {
                for (int k = from; k < to; k++) {
                    b[k] *= a[k];
                }
            }
            case LAND -> {
                for (int k = from; k < to; k++) {
                    b[k] = (byte) (a[k] != 0 & b[k] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int k = from; k < to; k++) {
                    b[k] = (byte) ((a[k] | b[k]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int k = from; k < to; k++) {
                    b[k] = (byte) (a[k] != 0 ^ b[k] != 0 ? 1 : 0);
                }
            }
            case BAND -> {
                for (int k = from; k < to; k++) {
                    b[k] &= a[k];
                }
            }
            case BOR -> {
                for (int k = from; k < to; k++) {
                    b[k] |= a[k];
                }
            }
            case BXOR -> {
                for (int k = from; k < to; k++) {
                    b[k] ^= a[k];
                }
            }
            default -> throw undefined(op);
        }
    }
}
