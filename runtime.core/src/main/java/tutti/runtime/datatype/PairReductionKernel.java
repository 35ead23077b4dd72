package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * MINLOC and MAXLOC on packed pairs of a value and an int index, viewed as bytes since the pairs have odd sizes.
 *
 * <p>Equal values take the lower index; as in {@link Math#max} NaN wins, in both operations.
 */
final class PairReductionKernel extends ReductionKernel {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final VarHandle FLOAT = view(float[].class);
    private static final VarHandle DOUBLE = view(double[].class);

    private final ElementKind kind;
    private final int bytes;

    PairReductionKernel(final ElementKind kind) {
        super(1, kind.bytes());
        this.kind = kind;
        this.bytes = kind.bytes();
    }

    private static VarHandle view(final Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
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
        final boolean max = op == OpCode.MAXLOC;
        for (int k = from; k < to; k += bytes) {
            final int order = compare(a, b, k, max);
            if (order > 0 || order == 0 && index(a, k) < index(b, k)) {
                System.arraycopy(a, k, b, k, bytes);
            }
        }
    }

    private int index(final byte[] pairs, final int at) {
        return (int) INT.get(pairs, at + bytes - Integer.BYTES);
    }

    /** Compares the values: above 0 when the value in {@code a} wins, 0 when they are equal. */
    private int compare(final byte[] a, final byte[] b, final int k, final boolean max) {
        return switch (kind) {
            case SHORT_INT -> compare((long) (short) SHORT.get(a, k), (long) (short) SHORT.get(b, k), max);
            case INT2 -> compare((long) (int) INT.get(a, k), (long) (int) INT.get(b, k), max);
            case LONG_INT -> compare((long) LONG.get(a, k), (long) LONG.get(b, k), max);
            case FLOAT_INT -> compare((double) (float) FLOAT.get(a, k), (double) (float) FLOAT.get(b, k), max);
            default -> compare((double) DOUBLE.get(a, k), (double) DOUBLE.get(b, k), max);
        };
    }

    private static int compare(final long a, final long b, final boolean max) {
        return max ? Long.compare(a, b) : Long.compare(b, a);
    }

    private static int compare(final double a, final double b, final boolean max) {
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return (Double.isNaN(a) ? 1 : 0) - (Double.isNaN(b) ? 1 : 0);
        }
        if (a == b) {
            return 0;
        }
        return a > b == max ? 1 : -1;
    }
}
