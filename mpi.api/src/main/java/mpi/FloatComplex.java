package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * A view of a complex number in a buffer: two floats, the real part first. Changes are written to the buffer. Not safe for use by several
 * threads.
 */
public final class FloatComplex {
    private final FloatBuffer buffer;
    private final int offset;

    private FloatComplex(final FloatBuffer buffer, final int index) {
        this.buffer = buffer;
        this.offset = index * 2;
    }

    /** Returns the number at the start of a buffer. */
    public static FloatComplex get(final FloatBuffer buffer) {
        return get(buffer, 0);
    }

    /** Returns number {@code index} of a buffer. */
    public static FloatComplex get(final FloatBuffer buffer, final int index) {
        return new FloatComplex(buffer, index);
    }

    /** Returns the number at the start of an array. */
    public static FloatComplex get(final float[] array) {
        return get(array, 0);
    }

    /** Returns number {@code index} of an array. */
    public static FloatComplex get(final float[] array, final int index) {
        return new FloatComplex(FloatBuffer.wrap(array), index);
    }

    /** Returns the number at the start of a byte buffer, in native byte order. */
    public static FloatComplex get(final ByteBuffer buffer) {
        return get(buffer, 0);
    }

    /** Returns number {@code index} of a byte buffer, in native byte order. */
    public static FloatComplex get(final ByteBuffer buffer, final int index) {
        return new FloatComplex(buffer.duplicate().clear().order(ByteOrder.nativeOrder()).asFloatBuffer(), index);
    }

    /** Returns the real part. */
    public float getReal() {
        return buffer.get(offset);
    }

    /** Returns the imaginary part. */
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

    /** Returns the part of the buffer that begins with this number, for communication calls. */
    public FloatBuffer getBuffer() {
        return offset == 0 ? buffer : buffer.duplicate().clear().position(offset).slice();
    }
}
