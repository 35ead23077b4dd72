package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** A complex number of two floats, the real part first, in a buffer: what it writes, the buffer has. Not safe for several threads. */
public final class FloatComplex {
    private final FloatBuffer buffer;
    private final int offset;

    private FloatComplex(final FloatBuffer buffer, final int index) {
        this.buffer = buffer;
        this.offset = index * 2;
    }

    /** The number at the start of a buffer. */
    public static FloatComplex get(final FloatBuffer buffer) {
        return get(buffer, 0);
    }

    /** Number {@code index} of a buffer. */
    public static FloatComplex get(final FloatBuffer buffer, final int index) {
        return new FloatComplex(buffer, index);
    }

    /** The number at the start of an array. */
    public static FloatComplex get(final float[] array) {
        return get(array, 0);
    }

    /** Number {@code index} of an array. */
    public static FloatComplex get(final float[] array, final int index) {
        return new FloatComplex(FloatBuffer.wrap(array), index);
    }

    /** The number at the start of a buffer of bytes in native order. */
    public static FloatComplex get(final ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** Number {@code index} of a buffer of bytes in native order. */
    public static FloatComplex get(final ByteBuffer buffer, final int index) {
        return new FloatComplex(buffer.duplicate().clear().order(ByteOrder.nativeOrder()).asFloatBuffer(), index);
    }

    /** The real part. */
    public float getReal() {
        return buffer.get(offset);
    }

    /** The imaginary part. */
    public float getImag() {
        return buffer.get(offset + 1);
    }

    /** Writes the real part. */
    public void putReal(final float real) {
        buffer.put(offset, real);
    }

    /** Writes the imaginary part. */
    public void putImag(final float imag) {
        buffer.put(offset + 1, imag);
    }

    /** The buffer from this number on, for calls that communicate. */
    public FloatBuffer getBuffer() {
        return offset == 0 ? buffer : buffer.duplicate().clear().position(offset).slice();
    }
}
