package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/** Operations on bytes: integers without sign, and truth values. */
final class ByteKernel extends Kernel {

    ByteKernel() {
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
    boolean holds(final Object array) {
        return array instanceof byte[];
    }

    @Override
    void run(final OpCode op, final Object in, final int i, final Object inout, final int j, final int n) {
        final byte[] a = (byte[]) in;
        final byte[] b = (byte[]) inout;
        switch (op) {
            case MAX -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (byte) Math.max(a[i + k] & 0xFF, b[j + k] & 0xFF);
                }
            }
            case MIN -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (byte) Math.min(a[i + k] & 0xFF, b[j + k] & 0xFF);
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
                    b[j + k] = (byte) (a[i + k] != 0 & b[j + k] != 0 ? 1 : 0);
                }
            }
            case LOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (byte) ((a[i + k] | b[j + k]) != 0 ? 1 : 0);
                }
            }
            case LXOR -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = (byte) (a[i + k] != 0 ^ b[j + k] != 0 ? 1 : 0);
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
