package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Operations on doubles, and on complex numbers of two doubles. */
final class DoubleReductionKernel extends ReductionKernel {
    private final boolean complex;

    DoubleReductionKernel(final boolean complex) {
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
    @Nullable
    Object array(final MemorySegment memory) {
        return memory.isNative() || !(memory.heapBase().orElse(null) instanceof final double[] array) ? null : array;
    }

    @Override
    void run(final OpCode op, final Object in, final Object inout, final int from, final int to) {
        final double[] a = (double[]) in;
        final double[] b = (double[]) inout;
        if (from < 0 || to > a.length || to > b.length) {
            throw new IndexOutOfBoundsException("range out of arrays: from=" + from + ", to=" + to + ", lengths=" + a.length + "," + b.length);
        }
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
                if (complex) {
                    for (int k = from; k < to; k += 2) {
                        final double re = a[k] * b[k] - a[k + 1] * b[k + 1];
                        final double im = a[k] * b[k + 1] + a[k + 1] * b[k];
                        b[k] = re;
                        b[k + 1] = im;
                    }
                } else {
                    for (int k = from; k < to; k++) {
                        b[k] *= a[k];
                    }
                }
            }
            default -> throw undefined(op);
        }
    }
}
