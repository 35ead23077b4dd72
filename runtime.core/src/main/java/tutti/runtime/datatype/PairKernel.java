package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MINLOC and MAXLOC on packed pairs of a value and an int index, viewed as bytes since the pairs have odd sizes.
 *
 * <p>Equal values take the lower index; as in {@link Math#max} not-a-number wins, in both operations.
 */
final class PairKernel extends Kernel {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final VarHandle FLOAT = view(float[].class);
    private static final VarHandle DOUBLE = view(double[].class);

    private final ElementKind kind;
    private final int bytes;

    PairKernel(final ElementKind kind) {
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
    boolean holds(final Object array) {
        return array instanceof byte[];
    }

    @Override
    void run(final OpCode op, final Object in, final int i, final Object inout, final int j, final int n) {
        final byte[] a = (byte[]) in;
        final byte[] b = (byte[]) inout;
        final boolean max = op == OpCode.MAXLOC;
        for (int k = 0; k < n; k += bytes) {
            final int order = compare(a, i + k, b, j + k, max);
            if (order > 0 || order == 0 && index(a, i + k) < index(b, j + k)) {
                System.arraycopy(a, i + k, b, j + k, bytes);
            }
        }
    }

    private int index(final byte[] pairs, final int at) {
        return (int) INT.get(pairs, at + bytes - Integer.BYTES);
    }

    /** Above 0 when the value in {@code a} wins, 0 when they are equal. */
    private int compare(final byte[] a, final int i, final byte[] b, final int j, final boolean max) {
        return switch (kind) {
            case SHORT_INT -> compare((long) (short) SHORT.get(a, i), (long) (short) SHORT.get(b, j), max);
            case INT2 -> compare((long) (int) INT.get(a, i), (long) (int) INT.get(b, j), max);
            case LONG_INT -> compare((long) LONG.get(a, i), (long) LONG.get(b, j), max);
            case FLOAT_INT -> compare((double) (float) FLOAT.get(a, i), (double) (float) FLOAT.get(b, j), max);
            default -> compare((double) DOUBLE.get(a, i), (double) DOUBLE.get(b, j), max);
        };
    }

    private static int compare(final long a, final long b, final boolean max) {
        return max ? Long.compare(a, b) : Long.compare(b, a);
    }

    private static int compare(final double a, final double b, final boolean max) {
        if (a != a || b != b) {
            return (a != a ? 1 : 0) - (b != b ? 1 : 0);
        }
        if (a == b) {
            return 0;
        }
        return a > b == max ? 1 : -1;
    }
}
