package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Operations on ints. */
final class IntReductionKernel extends ReductionKernel {

    IntReductionKernel() {
        super(Integer.BYTES, 1);
    }

    @Override
    Object newArray(final int length) {
        return new int[length];
    }

    @Override
    MemorySegment segment(final Object array) {
        return MemorySegment.ofArray((int[]) array);
    }

    @Override
    @Nullable
    Object array(final MemorySegment memory) {
        return memory.isNative() || !(memory.heapBase().orElse(null) instanceof final int[] array) ? null : array;
    }

    @Override
    void run(final OpCode op, final Object in, final Object inout, final int from, final int to) {
        final int[] a = (int[]) in;
        final int[] b = (int[]) inout;
        switch (op) {
            case MAX -> {
                for (int k = from; k < to; k++) {
                    b[k] = Math.max(a[k], b[k]);
                }
            }
            case MIN -> {
                for (int k = from; k < to; k++) {
                    b[k] = Math.min(a[k], b[k]);
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
                    b[k] = (a[k] != 0 & b[k] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int k = from; k < to; k++) {
                    b[k] = ((a[k] | b[k]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int k = from; k < to; k++) {
                    b[k] = (a[k] != 0 ^ b[k] != 0 ? 1 : 0);
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
