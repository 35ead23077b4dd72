package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;

/**
 * Loops of the predefined operations over Java arrays of one type.
 *
 * <p>Loops over arrays always vectorise. Loops over memory segments do so only while the code sees segments of one kind: once it has
 * seen heap arrays and native memory they are a hundred times slower. So what lies elsewhere is copied to small arrays, piece by piece.
 * Kernels have no state but a pool of such arrays and serve any number of threads.
 */
abstract class Kernel {
    /** Two such arrays fit the first-level cache of any machine, with room for the data itself. */
    private static final int PIECE_BYTES = 8192;

    private final int unit;
    private final int unitsPerElement;
    private final StagingPool pool;

    /** For arrays whose entries have {@code unit} bytes, of which an element takes {@code unitsPerElement}. */
    Kernel(final int unit, final int unitsPerElement) {
        this.unit = unit;
        this.unitsPerElement = unitsPerElement;
        this.pool = new StagingPool(this, PIECE_BYTES / unit / unitsPerElement * unitsPerElement);
    }

    /** A new array of the kernel's type. */
    abstract Object newArray(int length);

    /** The memory of such an array. */
    abstract MemorySegment segment(Object array);

    /** Whether it is an array of the kernel's type. */
    abstract boolean holds(Object array);

    /** Computes {@code inout[j + k] = in[i + k] op inout[j + k]} for {@code n} array entries. */
    abstract void run(OpCode op, Object in, int i, Object inout, int j, int n);

    /** Computes {@code inout = in op inout} over packed elements; the ranges were checked. */
    final void apply(final OpCode op, final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset,
            final long count) {
        final Object a = arrayBehind(in, inOffset);
        final Object b = arrayBehind(inout, inoutOffset);
        final long units = count * unitsPerElement;
        if (a != null && b != null) {
            run(op, a, index(in, inOffset), b, index(inout, inoutOffset), (int) units);
        } else {
            pieces(op, in, inOffset, a, inout, inoutOffset, b, units);
        }
    }

    private void pieces(final OpCode op, final MemorySegment in, final long inOffset, final Object a,
            final MemorySegment inout, final long inoutOffset, final Object b, final long units) {
        final StagingPool.Staging staging = pool.take();
        for (long done = 0; done < units; done += pool.length()) {
            final int n = (int) Math.min(pool.length(), units - done);
            final long from = inOffset + done * unit;
            final long to = inoutOffset + done * unit;
            if (a == null) {
                MemorySegment.copy(in, from, staging.inMemory(), 0, (long) n * unit);
            }
            if (b == null) {
                MemorySegment.copy(inout, to, staging.inoutMemory(), 0, (long) n * unit);
            }
            run(op, a == null ? staging.in() : a, a == null ? 0 : index(in, from),
                b == null ? staging.inout() : b, b == null ? 0 : index(inout, to), n);
            if (b == null) {
                MemorySegment.copy(staging.inoutMemory(), 0, inout, to, (long) n * unit);
            }
        }
        pool.give(staging);
    }

    /** New memory of at least {@code bytes} bytes in an array of the kernel's type. */
    final MemorySegment newMemory(final long bytes) {
        return segment(newArray(Math.toIntExact(Math.ceilDiv(bytes, unit))));
    }

    /** The array of the kernel's type in which the memory lies, aligned to its entries; null when there is none. */
    private Object arrayBehind(final MemorySegment memory, final long offset) {
        final Object array = memory.heapBase().orElse(null);
        return holds(array) && (memory.address() + offset) % unit == 0 ? array : null;
    }

    private int index(final MemorySegment memory, final long offset) {
        return (int) ((memory.address() + offset) / unit);
    }

    static IllegalStateException undefined(final OpCode op) {
        return new IllegalStateException("operation has no loop: op=" + op);
    }
}
