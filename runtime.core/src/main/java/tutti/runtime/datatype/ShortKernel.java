package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/** Operations on shorts. */
final class ShortKernel extends Kernel {

    ShortKernel() {
        super(Short.BYTES, 1);
    }

    @Override
    Object newArray(final int length) {
        return new short[length];
    }

    @Override
    MemorySegment segment(final Object array) {
        return MemorySegment.ofArray((short[]) array);
    }

    @Override
    boolean holds(final Object array) {
        return array instanceof short[];
    }

    @Override
    void run(final OpCode op, final Object in, final int i, final Object inout, final int j, final int n) {
        final short[] a = (short[]) in;
        final short[] b = (short[]) inout;
        switch (op) {
            case MAX -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (short) Math.max(a[i + k], b[j + k]);
                }
            }
            case MIN -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (short) Math.min(a[i + k], b[j + k]);
                }
            }
            case SUM -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] += a[i + k];
                }
            }
            case PROD -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] *= a[i + k];
                }
            }
            case LAND -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (short) (a[i + k] != 0 & b[j + k] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (short) ((a[i + k] | b[j + k]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (short) (a[i + k] != 0 ^ b[j + k] != 0 ? 1 : 0);
                }
            }
            case BAND -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] &= a[i + k];
                }
            }
            case BOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] |= a[i + k];
                }
            }
            case BXOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] ^= a[i + k];
                }
            }
            default -> throw undefined(op);
        }
    }
}
