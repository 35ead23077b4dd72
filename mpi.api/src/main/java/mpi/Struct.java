package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/**
 * A structure with fields of several types. Safe for use by several threads when its fields are set up.
 *
 * <p>Fields follow each other without gaps, and the end is padded as in C: the extent is a multiple of the largest alignment of a field. Offsets,
 * extents and the numbers that identify fields are bytes; an index counts structures or elements of an array field.
 *
 * <p>A subclass adds its fields in the initializers of their offsets, and has a subclass of {@link Data} that reads and writes them:
 * <pre>
 * class Particle extends Struct {
 *     private final int mass = addDouble();
 *
 *     &#64;Override protected Data newData() { return new Data(); }
 *
 *     class Data extends Struct.Data {
 *         double getMass() { return getDouble(mass); }
 *         void putMass(double v) { putDouble(mass, v); }
 *     }
 * } </pre>
 */
public abstract class Struct {
    private final List<Field> fields = new ArrayList<>();
    private int offset;
    private int end;
    private int alignment = 1;
    /** The datatype; null as long as fields may be added. */
    private @Nullable Datatype type;

    /** Creates a structure without fields. */
    public Struct() {}

    /** Creates a structure that MPI predefines; the fields must match the datatype. */
    Struct(final tutti.runtime.datatype.Datatype predefined) {
        this.type = Datatype.predefined(predefined);
        this.end = (int) predefined.extent();
    }

    /** Creates an accessor for {@link #getData}. */
    protected abstract Data newData();

    /** Returns the extent of the structure in bytes. */
    public final int getExtent() throws MPIException {
        return extent();
    }

    private int extent() {
        return Math.multiplyExact(Math.ceilDiv(end, alignment), alignment);
    }

    /** Returns the datatype of the structure, committed. No fields can be added after this call. */
    public final synchronized Datatype getType() throws MPIException {
        if (type == null) {
            type = createType();
        }
        return type;
    }

    /** Returns the datatype of a predefined structure. */
    final Datatype type() {
        return Objects.requireNonNull(type, "structure is not predefined");
    }

    private Datatype createType() throws MPIException {
        final int n = fields.size();
        final long[] lengths = new long[n];
        final long[] offsets = new long[n];
        final tutti.runtime.datatype.Datatype[] types = new tutti.runtime.datatype.Datatype[n];
        for (int i = 0; i < n; i++) {
            final Field f = fields.get(i);
            lengths[i] = f.length;
            offsets[i] = f.offset;
            types[i] = f.type;
        }
        try {
            final tutti.runtime.datatype.Datatype data = tutti.runtime.datatype.Datatype.struct(lengths, offsets, types);
            // bounds that are set take precedence over those of other components of a datatype that is derived from this one
            return Datatype.ready(data.lowerBound() == 0 && data.extent() == extent() ? data
                : tutti.runtime.datatype.Datatype.resized(data, 0, extent()));
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    /** Returns an accessor for the structure at the start of a buffer. */
    public final <T extends Data> T getData(final ByteBuffer buffer) throws MPIException {
        return getData(buffer, 0);
    }

    /** Returns an accessor for structure {@code index} of a buffer. */
    public final <T extends Data> T getData(final ByteBuffer buffer, final int index) throws MPIException {
        final ByteBuffer ordered = buffer.order() == ByteOrder.nativeOrder() ? buffer : buffer.duplicate().order(ByteOrder.nativeOrder());
        return dataAt(ordered, index * extent());
    }

    /** Returns an accessor for the structure at the start of an array. */
    public final <T extends Data> T getData(final byte[] array) throws MPIException {
        return getData(array, 0);
    }

    /** Returns an accessor for structure {@code index} of an array. */
    public final <T extends Data> T getData(final byte[] array, final int index) throws MPIException {
        return getData(ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()), index);
    }

    // the caller infers the class that its newData() returns, as in the bindings
    @SuppressWarnings("unchecked")
    private <T extends Data> T dataAt(final ByteBuffer buffer, final int position) {
        final Data data = newData();
        data.buffer = buffer;
        data.start = position;
        return (T) data;
    }

    /** Sets the offset of the next field, in bytes. */
    public final Struct setOffset(final int newOffset) {
        if (newOffset < 0) {
            throw new IllegalArgumentException("offset is negative: offset=" + newOffset);
        }
        offset = newOffset;
        return this;
    }

    /** Adds a byte. Like all methods of this kind, returns the offset of the field. */
    public final int addByte() {
        return addByte(1);
    }

    /** Adds an array of bytes. */
    public final int addByte(final int length) {
        return add(tutti.runtime.datatype.Datatype.BYTE, 1, length);
    }

    /** Adds a char. */
    public final int addChar() {
        return addChar(1);
    }

    /** Adds an array of chars. */
    public final int addChar(final int length) {
        return add(tutti.runtime.datatype.Datatype.CHAR, Character.BYTES, length);
    }

    /** Adds a short. */
    public final int addShort() {
        return addShort(1);
    }

    /** Adds an array of shorts. */
    public final int addShort(final int length) {
        return add(tutti.runtime.datatype.Datatype.SHORT, Short.BYTES, length);
    }

    /** Adds an int. */
    public final int addInt() {
        return addInt(1);
    }

    /** Adds an array of ints. */
    public final int addInt(final int length) {
        return add(tutti.runtime.datatype.Datatype.INT, Integer.BYTES, length);
    }

    /** Adds a long. */
    public final int addLong() {
        return addLong(1);
    }

    /** Adds an array of longs. */
    public final int addLong(final int length) {
        return add(tutti.runtime.datatype.Datatype.LONG, Long.BYTES, length);
    }

    /** Adds a float. */
    public final int addFloat() {
        return addFloat(1);
    }

    /** Adds an array of floats. */
    public final int addFloat(final int length) {
        return add(tutti.runtime.datatype.Datatype.FLOAT, Float.BYTES, length);
    }

    /** Adds a double. */
    public final int addDouble() {
        return addDouble(1);
    }

    /** Adds an array of doubles. */
    public final int addDouble(final int length) {
        return add(tutti.runtime.datatype.Datatype.DOUBLE, Double.BYTES, length);
    }

    /** Adds a structure. */
    public final int addStruct(final Struct struct) throws MPIException {
        return addStruct(struct, 1);
    }

    /** Adds an array of structures. */
    public final int addStruct(final Struct struct, final int length) throws MPIException {
        return add(Datatype.layoutOf(struct.getType()), struct.extent(), length);
    }

    /** Adds an element of a type. */
    public final int addData(final Datatype dataType) throws MPIException {
        return addData(dataType, 1);
    }

    /** Adds an array of elements of a type. */
    public final int addData(final Datatype dataType, final int length) throws MPIException {
        final tutti.runtime.datatype.Datatype t = Datatype.checked(dataType);
        return add(t, Math.toIntExact(t.extent()), length);
    }

    private synchronized int add(final tutti.runtime.datatype.Datatype fieldType, final int fieldExtent, final int length) {
        if (type != null) {
            throw new IllegalStateException("field added after getType: offset=" + offset + ", type=" + fieldType.name());
        }
        if (length < 0) {
            throw new IllegalArgumentException("length of field is negative: length=" + length);
        }
        final int at = offset;
        fields.add(new Field(fieldType, at, length));
        offset = Math.addExact(at, Math.multiplyExact(fieldExtent, length));
        end = Math.max(end, offset);
        alignment = Math.max(alignment, fieldType.alignment());
        return at;
    }

    private record Field(tutti.runtime.datatype.Datatype type, int offset, int length) {}

    /** Reads and writes the fields of one structure in a buffer. Fields are identified by their offsets. Not safe for use by several threads. */
    public abstract class Data {
        @SuppressWarnings("NullAway.Init") // dataAt sets it before the program gets the object
        private ByteBuffer buffer;
        private int start;

        /** Returns the part of the buffer that begins with this structure. */
        public final ByteBuffer getBuffer() {
            return from(start);
        }

        /** Returns the part of the buffer that begins with a field. */
        protected final ByteBuffer getBuffer(final Datatype dataType, final int field) {
            return from(start + field);
        }

        /** Returns the part of the buffer that begins with an element of an array field. */
        protected final ByteBuffer getBuffer(final Datatype dataType, final int field, final int index) {
            return from(start + field + index * (int) Datatype.layoutOf(dataType).extent());
        }

        private ByteBuffer from(final int position) {
            return position == 0 ? buffer : buffer.duplicate().clear().position(position).slice().order(ByteOrder.nativeOrder());
        }

        /** Returns an accessor for a structure that is a field. */
        protected final <T extends Data> T getData(final Struct struct, final int field) {
            return getData(struct, field, 0);
        }

        /** Returns an accessor for a structure of an array field. */
        protected final <T extends Data> T getData(final Struct struct, final int field, final int index) {
            return struct.dataAt(buffer, start + field + index * struct.extent());
        }

        /** Reads a byte. */
        protected final byte getByte(final int field) {
            return getByte(field, 0);
        }

        /** Reads a byte of an array field. */
        protected final byte getByte(final int field, final int index) {
            return buffer.get(start + field + index);
        }

        /** Reads a char. */
        protected final char getChar(final int field) {
            return getChar(field, 0);
        }

        /** Reads a char of an array field. */
        protected final char getChar(final int field, final int index) {
            return buffer.getChar(start + field + index * Character.BYTES);
        }

        /** Reads a short. */
        protected final short getShort(final int field) {
            return getShort(field, 0);
        }

        /** Reads a short of an array field. */
        protected final short getShort(final int field, final int index) {
            return buffer.getShort(start + field + index * Short.BYTES);
        }

        /** Reads an int. */
        protected final int getInt(final int field) {
            return getInt(field, 0);
        }

        /** Reads an int of an array field. */
        protected final int getInt(final int field, final int index) {
            return buffer.getInt(start + field + index * Integer.BYTES);
        }

        /** Reads a long. */
        protected final long getLong(final int field) {
            return getLong(field, 0);
        }

        /** Reads a long of an array field. */
        protected final long getLong(final int field, final int index) {
            return buffer.getLong(start + field + index * Long.BYTES);
        }

        /** Reads a float. */
        protected final float getFloat(final int field) {
            return getFloat(field, 0);
        }

        /** Reads a float of an array field. */
        protected final float getFloat(final int field, final int index) {
            return buffer.getFloat(start + field + index * Float.BYTES);
        }

        /** Reads a double. */
        protected final double getDouble(final int field) {
            return getDouble(field, 0);
        }

        /** Reads a double of an array field. */
        protected final double getDouble(final int field, final int index) {
            return buffer.getDouble(start + field + index * Double.BYTES);
        }

        /** Writes a byte. */
        protected final void putByte(final int field, final byte v) {
            putByte(field, 0, v);
        }

        /** Writes a byte of an array field. */
        protected final void putByte(final int field, final int index, final byte v) {
            buffer.put(start + field + index, v);
        }

        /** Writes a char. */
        protected final void putChar(final int field, final char v) {
            putChar(field, 0, v);
        }

        /** Writes a char of an array field. */
        protected final void putChar(final int field, final int index, final char v) {
            buffer.putChar(start + field + index * Character.BYTES, v);
        }

        /** Writes a short. */
        protected final void putShort(final int field, final short v) {
            putShort(field, 0, v);
        }

        /** Writes a short of an array field. */
        protected final void putShort(final int field, final int index, final short v) {
            buffer.putShort(start + field + index * Short.BYTES, v);
        }

        /** Writes an int. */
        protected final void putInt(final int field, final int v) {
            putInt(field, 0, v);
        }

        /** Writes an int of an array field. */
        protected final void putInt(final int field, final int index, final int v) {
            buffer.putInt(start + field + index * Integer.BYTES, v);
        }

        /** Writes a long. */
        protected final void putLong(final int field, final long v) {
            putLong(field, 0, v);
        }

        /** Writes a long of an array field. */
        protected final void putLong(final int field, final int index, final long v) {
            buffer.putLong(start + field + index * Long.BYTES, v);
        }

        /** Writes a float. */
        protected final void putFloat(final int field, final float v) {
            putFloat(field, 0, v);
        }

        /** Writes a float of an array field. */
        protected final void putFloat(final int field, final int index, final float v) {
            buffer.putFloat(start + field + index * Float.BYTES, v);
        }

        /** Writes a double. */
        protected final void putDouble(final int field, final double v) {
            putDouble(field, 0, v);
        }

        /** Writes a double of an array field. */
        protected final void putDouble(final int field, final int index, final double v) {
            buffer.putDouble(start + field + index * Double.BYTES, v);
        }
    }
}
