package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The loops of the predefined operations over Java arrays of one type.
 *
 * <p>Loops over two arrays are vectorised when both use the same index. With an index for each, the JIT must assume that they overlap. Loops
 * over memory segments are vectorised only while the code sees segments of one kind: once it has seen heap arrays and native memory they are a
 * hundred times slower. So operands that are not at equal offsets of arrays are copied to small arrays, segment by segment; a short left operand
 * alone, to the offset of the right one. Kernels have no state except a pool of such arrays and serve any number of threads.
 */
abstract class ReductionKernel {
    /** Bytes of a staging array: two of them fit the first-level cache of any machine, with the data itself. */
    private static final int PIECE_BYTES = 8192;
    /** Bytes up to which copying the left operand alone is worth a case of its own. */
    private static final int SHORT_BYTES = 256;

    private final int unit;
    private final int unitsPerElement;
    private final StagingPool pool;

    /** Creates a kernel for arrays with entries of {@code unit} bytes, of which an element takes {@code unitsPerElement}. */
    ReductionKernel(final int unit, final int unitsPerElement) {
        this.unit = unit;
        this.unitsPerElement = unitsPerElement;
        this.pool = new StagingPool(this, PIECE_BYTES / unit / unitsPerElement * unitsPerElement);
    }

    /** Allocates an array of the kernel's type. */
    abstract Object newArray(int length);

    /** Returns the memory of such an array. */
    abstract MemorySegment segment(Object array);

    /**
     * Returns the array of the kernel's type behind writable heap memory, or null. Each kernel has its own implementation: a shared one would
     * see so many classes of segments that the JIT no longer removes the {@link java.util.Optional}.
     */
    abstract @Nullable Object array(MemorySegment memory);

    /**
     * Computes {@code inout[k] = in[k] op inout[k]} for the array entries from {@code from} to {@code to - 1}.
     *
     * <p>All loops of a kernel are in this one method, which is therefore too large to be inlined (325 bytes of code). Inlined into
     * {@link #apply} the same loops were two to three times slower in about every second run of the JVM.
     */
    abstract void run(OpCode op, Object in, Object inout, int from, int to);

    /** Computes {@code inout = in op inout} over packed elements; the ranges were checked. */
    final void apply(final OpCode op, final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset,
        final long count) {
        final long from = in.address() + inOffset;
        final Object a = from == inout.address() + inoutOffset && from % unit == 0 ? array(in) : null;
        final Object b = a == null ? null : array(inout);
        if (a != null && b != null) {
            run(op, a, b, (int) (from / unit), (int) (from / unit + count * unitsPerElement));
        } else {
            runUnlike(op, in, inOffset, inout, inoutOffset, count * unitsPerElement * unit);
        }
    }

    private void runUnlike(final OpCode op, final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset,
        final long bytes) {
        final long into = inout.address() + inoutOffset;
        final Object b = bytes <= SHORT_BYTES && into % unit == 0 && into + bytes <= (long) pool.length() * unit ? array(inout) : null;
        if (b == null) {
            runSegments(op, in, inOffset, inout, inoutOffset, bytes);
            return;
        }
        final StagingPool.Staging staging = pool.take();
        MemorySegment.copy(in, inOffset, staging.inMemory(), into, bytes);
        run(op, staging.in(), b, (int) (into / unit), (int) ((into + bytes) / unit));
        pool.release(staging);
    }

    private void runSegments(final OpCode op, final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset,
        final long bytes) {
        final StagingPool.Staging staging = pool.take();
        final long limit = (long) pool.length() * unit;
        for (long done = 0; done < bytes; done += limit) {
            final long n = Math.min(limit, bytes - done);
            MemorySegment.copy(in, inOffset + done, staging.inMemory(), 0, n);
            MemorySegment.copy(inout, inoutOffset + done, staging.inoutMemory(), 0, n);
            run(op, staging.in(), staging.inout(), 0, (int) (n / unit));
            MemorySegment.copy(staging.inoutMemory(), 0, inout, inoutOffset + done, n);
        }
        pool.release(staging);
    }

    /** Allocates memory of at least {@code bytes} bytes in an array of the kernel's type. */
    final MemorySegment newMemory(final long bytes) {
        return segment(newArray(Math.toIntExact(Math.ceilDiv(bytes, unit))));
    }

    static IllegalStateException undefined(final OpCode op) {
        return new IllegalStateException("operation has no loop: op=" + op);
    }
}
