package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;

/**
 * A view of a complex number in a buffer: two doubles, the real part first. Changes are written to the buffer. Not safe for use by several
 * threads.
 */
public final class DoubleComplex {
    private final DoubleBuffer buffer;
    private final int offset;

    private DoubleComplex(final DoubleBuffer buffer, final int index) {
        this.buffer = buffer;
        this.offset = index * 2;
    }

    /** Returns the number at the start of a buffer. */
    public static DoubleComplex get(final DoubleBuffer buffer) {
        return get(buffer, 0);
    }

    /** Returns number {@code index} of a buffer. */
    public static DoubleComplex get(final DoubleBuffer buffer, final int index) {
        return new DoubleComplex(buffer, index);
    }

    /** Returns the number at the start of an array. */
    public static DoubleComplex get(final double[] array) {
        return get(array, 0);
    }

    /** Returns number {@code index} of an array. */
    public static DoubleComplex get(final double[] array, final int index) {
        return new DoubleComplex(DoubleBuffer.wrap(array), index);
    }

    /** Returns the number at the start of a byte buffer, in native byte order. */
    public static DoubleComplex get(final ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** Returns number {@code index} of a byte buffer, in native byte order. */
    public static DoubleComplex get(final ByteBuffer buffer, final int index) {
        return new DoubleComplex(buffer.duplicate().clear().order(ByteOrder.nativeOrder()).asDoubleBuffer(), index);
    }

    /** Returns the real part. */
    public double getReal() {
        return buffer.get(offset);
    }

    /** Returns the imaginary part. */
    public double getImag() {
        return buffer.get(offset + 1);
    }

    /** Writes the real part. */
    public void putReal(final double real) {
        buffer.put(offset, real);
    }

    /** Writes the imaginary part. */
    public void putImag(final double imag) {
        buffer.put(offset + 1, imag);
    }

    /** Returns the part of the buffer that begins with this number, for communication calls. */
    public DoubleBuffer getBuffer() {
        return offset == 0 ? buffer : buffer.duplicate().clear().position(offset).slice();
    }
}
