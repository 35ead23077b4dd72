package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/** Operations on doubles, and on complex numbers of two doubles. */
final class DoubleKernel extends Kernel {
    private final boolean complex;

    DoubleKernel(final boolean complex) {
        super(Double.BYTES, complex ? 2 : 1);
        this.complex = complex;
    }

    @Override
    Object newArray(final int length) {
        return new double[length];
    }

    @Override
    MemorySegment segment(final Object array) {
        return MemorySegment.ofArray((double[]) array);
    }

    @Override
    boolean holds(final Object array) {
        return array instanceof double[];
    }

    @Override
    void run(final OpCode op, final Object in, final int i, final Object inout, final int j, final int n) {
        final double[] a = (double[]) in;
        final double[] b = (double[]) inout;
        switch (op) {
            case MAX -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = Math.max(a[i + k], b[j + k]);
                }
            }
            case MIN -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] = Math.min(a[i + k], b[j + k]);
                }
            }
            case SUM -> {
                for (int k = 0; k < n; k++) {
                    b[j + k] += a[i + k];
                }
            }
            case PROD -> {
                if (complex) {
                    multiply(a, i, b, j, n);
                } else {
                    for (int k = 0; k < n; k++) {
                        b[j + k] *= a[i + k];
                    }
                }
            }
            default -> throw undefined(op);
        }
    }

    private static void multiply(final double[] a, final int i, final double[] b, final int j, final int n) {
        for (int k = 0; k < n; k += 2) {
            final double re = a[i + k] * b[j + k] - a[i + k + 1] * b[j + k + 1];
            b[j + k + 1] = a[i + k] * b[j + k + 1] + a[i + k + 1] * b[j + k];
            b[j + k] = re;
        }
    }
}
