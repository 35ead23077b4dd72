package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;

/** A complex number of two doubles, the real part first, in a buffer: what it writes, the buffer has. Not safe for several threads. */
public final class DoubleComplex {
    private final DoubleBuffer buffer;
    private final int offset;

    private DoubleComplex(final DoubleBuffer buffer, final int index) {
        this.buffer = buffer;
        this.offset = index * 2;
    }

    /** The number at the start of a buffer. */
    public static DoubleComplex get(final DoubleBuffer buffer) {
        return get(buffer, 0);
    }

    /** Number {@code index} of a buffer. */
    public static DoubleComplex get(final DoubleBuffer buffer, final int index) {
        return new DoubleComplex(buffer, index);
    }

    /** The number at the start of an array. */
    public static DoubleComplex get(final double[] array) {
        return get(array, 0);
    }

    /** Number {@code index} of an array. */
    public static DoubleComplex get(final double[] array, final int index) {
        return new DoubleComplex(DoubleBuffer.wrap(array), index);
    }

    /** The number at the start of a buffer of bytes in native order. */
    public static DoubleComplex get(final ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** Number {@code index} of a buffer of bytes in native order. */
    public static DoubleComplex get(final ByteBuffer buffer, final int index) {
        return new DoubleComplex(buffer.duplicate().clear().order(ByteOrder.nativeOrder()).asDoubleBuffer(), index);
    }

    /** The real part. */
    public double getReal() {
        return buffer.get(offset);
    }

    /** The imaginary part. */
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

    /** The buffer from this number on, for calls that communicate. */
    public DoubleBuffer getBuffer() {
        return offset == 0 ? buffer : buffer.duplicate().clear().position(offset).slice();
    }
}
