package mpi;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.datatype.UserMemory;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** Operations on buffers without communication: pack, unpack and local reduction. */
final class LocalOperations {
    private LocalOperations() {}

    /** Returns the bytes of packed elements; {@link Long#MAX_VALUE} if there are more. */
    static long packedBytes(final long count, final Datatype type) {
        Datatype.checkType(type);
        if (count < 0) {
            // Cause: `block` is the index in an array of counts. Remedy: 0 or more.
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        return type.size() > Long.MAX_VALUE / Math.max(1, count) ? Long.MAX_VALUE : count * type.size();
    }

    /** Packs elements to new memory. */
    static MemorySegment pack(final Object buf, final long count, final Datatype type, final BooleanSupplier checksKinds) {
        final long bytes = packedBytes(count, type);
        final UserData data = UserData.of(buf, count, type, checksKinds);
        final MemorySegment packed = allocate(bytes);
        data.pack(packed, 0);
        return packed;
    }

    /**
     * Elements in the memory behind a buffer.
     *
     * @param memory memory that holds all of the data
     * @param start  offset of element 0
     */
    private record UserData(Object buffer, MemorySegment memory, long start, long count, Datatype type) {
        /** Returns the elements of a buffer, which are in its memory. */
        static UserData of(final Object buffer, final long count, final Datatype type, final BooleanSupplier checksKinds) {
            UserMemory.checkKind(buffer, type, checksKinds);
            final MemorySegment own = UserMemory.of(buffer);
            final MemorySegment memory = UserMemory.from(type.first(count), buffer, own);
            final long start = UserMemory.startIn(memory, own);
            UserMemory.check(memory, start, count, type);
            return new UserData(buffer, memory, start, count, type);
        }

        /** Returns the elements of a buffer that can be written. */
        static UserData into(final Object buffer, final long count, final Datatype type, final BooleanSupplier checksKinds) {
            final UserData data = of(buffer, count, type, checksKinds);
            UserMemory.checkWritable(data.memory, count, type);
            return data;
        }

        void pack(final MemorySegment packed, final long position) {
            type.pack(memory, start, count, packed, position);
        }

        void unpack(final MemorySegment packed, final long position) {
            type.unpack(packed, position, count, memory, start);
            writeBack();
        }

        void writeBack() {
            UserMemory.writeBack(buffer, memory, type, count * type.size(), start);
        }

        /** Returns whether any memory of the elements may be shared. */
        boolean overlaps(final UserData other) {
            return UserMemory.overlap(slice(), other.slice());
        }

        private MemorySegment slice() {
            final long first = type.first(count);
            return memory.asSlice(start + first, type.span(count) - Math.max(0, first));
        }
    }

    /** Allocates a byte array if that can be long enough, else a long array. */
    static MemorySegment allocate(final long bytes) {
        return bytes < Integer.MAX_VALUE - Long.BYTES ? MemorySegment.ofArray(new byte[(int) bytes])
            : MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]).asSlice(0, bytes);
    }

    static int pack(final Object buf, final int count, final Datatype type, final byte[] to, final int position, final BooleanSupplier checksKinds) {
        final long bytes = packedBytes(count, type);
        checkRange(position, bytes, to);
        UserData.of(buf, count, type, checksKinds).pack(MemorySegment.ofArray(to), position);
        return position + (int) bytes;
    }

    static int unpack(final byte[] from, final int position, final Object buf, final int count, final Datatype type,
        final BooleanSupplier checksKinds) {
        final long bytes = packedBytes(count, type);
        checkRange(position, bytes, from);
        UserData.into(buf, count, type, checksKinds).unpack(MemorySegment.ofArray(from), position);
        return position + (int) bytes;
    }

    private static void checkRange(final int position, final long bytes, final byte[] packed) {
        if (packed == null) {
            // Cause: no array where one is needed. Remedy: give it; an array of length 0 for no elements.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer is null");
        }
        if (position < 0 || position > packed.length) {
            // Cause: `pack` or `unpack` begins outside of the buffer. Remedy: 0 to size.
            throw new MpiFailure(ErrorClass.ARG, "position out of range: position=" + position + ", size=" + packed.length);
        }
        if (bytes > packed.length - position) {
            // Cause: `pack` or `unpack` goes beyond the end. Remedy: a buffer of `packSize` bytes.
            throw new MpiFailure(ErrorClass.TRUNCATE, "packed buffer too small: need=" + bytes + ", have=" + (packed.length - position)
                + " bytes (position=" + position + ", size=" + packed.length + ")");
        }
    }

    static void reduce(final Object in, final Object inOut, final int count, final Datatype type, final Op op, final BooleanSupplier checksKinds) {
        if (op.isForWindows()) {
            // Cause: `MPI.REPLACE` and `MPI.NO_OP` are no reductions. Remedy: another operation.
            throw new MpiFailure(ErrorClass.OP, "operation of one-sided communication in a reduction: op=" + op.name());
        }
        final BoundReduction reduction = op.bind(type);
        final long bytes = packedBytes(count, type);
        final UserData a = UserData.of(in, count, type, checksKinds);
        final UserData b = UserData.into(inOut, count, type, checksKinds);
        if (bytes == 0) {
            return;
        }
        if (in == inOut || a.overlaps(b)) {
            // Cause: `reduceLocal` would read what it writes. Remedy: two arrays.
            throw new MpiFailure(ErrorClass.BUFFER, "both operands are the same memory: count=" + count + ", type=" + type.name());
        }
        if (type.isContiguous()) {
            reduction.apply(a.memory, 0, b.memory, 0, count);
            b.writeBack();
        } else {
            final MemorySegment x = reduction.newMemory(bytes);
            final MemorySegment y = reduction.newMemory(bytes);
            a.pack(x, 0);
            b.pack(y, 0);
            reduction.apply(x, 0, y, 0, count);
            b.unpack(y, 0);
        }
    }
}
