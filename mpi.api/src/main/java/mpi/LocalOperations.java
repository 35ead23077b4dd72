package mpi;

import java.lang.foreign.MemorySegment;
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
            throw new MpiFailure(ErrorClass.COUNT, "count is negative: count=" + count);
        }
        return type.size() > Long.MAX_VALUE / Math.max(1, count) ? Long.MAX_VALUE : count * type.size();
    }

    /** Packs elements to new memory. */
    static MemorySegment pack(final Object buf, final long count, final Datatype type) {
        final long bytes = packedBytes(count, type);
        UserMemory.checkKind(buf, type);
        final MemorySegment memory = UserMemory.of(buf);
        UserMemory.check(memory, count, type);
        final MemorySegment packed = allocate(bytes);
        type.pack(memory, 0, count, packed, 0);
        return packed;
    }

    /** Allocates a byte array if that can be long enough, else a long array. */
    static MemorySegment allocate(final long bytes) {
        return bytes < Integer.MAX_VALUE - Long.BYTES ? MemorySegment.ofArray(new byte[(int) bytes])
            : MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]).asSlice(0, bytes);
    }

    static int pack(final Object buf, final int count, final Datatype type, final byte[] to, final int position) {
        final long bytes = packedBytes(count, type);
        checkRange(position, bytes, to);
        UserMemory.checkKind(buf, type);
        final MemorySegment memory = UserMemory.of(buf);
        UserMemory.check(memory, count, type);
        type.pack(memory, 0, count, MemorySegment.ofArray(to), position);
        return position + (int) bytes;
    }

    static int unpack(final byte[] from, final int position, final Object buf, final int count, final Datatype type) {
        final long bytes = packedBytes(count, type);
        checkRange(position, bytes, from);
        UserMemory.checkKind(buf, type);
        final MemorySegment memory = UserMemory.of(buf);
        UserMemory.checkReceive(memory, count, type);
        type.unpack(MemorySegment.ofArray(from), position, count, memory, 0);
        UserMemory.writeBack(buf, memory, type, bytes, 0);
        return position + (int) bytes;
    }

    private static void checkRange(final int position, final long bytes, final byte[] packed) {
        if (packed == null) {
            throw new MpiFailure(ErrorClass.BUFFER, "buffer is null");
        }
        if (position < 0 || position > packed.length) {
            throw new MpiFailure(ErrorClass.ARG, "position out of range: position=" + position + ", size=" + packed.length);
        }
        if (bytes > packed.length - position) {
            throw new MpiFailure(ErrorClass.TRUNCATE, "packed buffer too small: need=" + bytes + ", have=" + (packed.length - position)
                + " bytes (position=" + position + ", size=" + packed.length + ")");
        }
    }

    static void reduce(final Object in, final Object inOut, final int count, final Datatype type, final Op op) {
        if (op.isForWindows()) {
            throw new MpiFailure(ErrorClass.OP, "operation of one-sided communication in a reduction: op=" + op.name());
        }
        final BoundReduction reduction = op.bind(type);
        UserMemory.checkKind(in, type);
        UserMemory.checkKind(inOut, type);
        final long bytes = packedBytes(count, type);
        final MemorySegment a = UserMemory.of(in);
        final MemorySegment b = UserMemory.of(inOut);
        UserMemory.check(a, count, type);
        UserMemory.checkReceive(b, count, type);
        if (bytes == 0) {
            return;
        }
        if (in == inOut || UserMemory.overlap(data(a, count, type), data(b, count, type))) {
            throw new MpiFailure(ErrorClass.BUFFER, "both operands are the same memory: count=" + count + ", type=" + type.name());
        }
        if (type.isContiguous()) {
            reduction.apply(a, 0, b, 0, count);
        } else {
            final MemorySegment x = reduction.newMemory(bytes);
            final MemorySegment y = reduction.newMemory(bytes);
            type.pack(a, 0, count, x, 0);
            type.pack(b, 0, count, y, 0);
            reduction.apply(x, 0, y, 0, count);
            type.unpack(y, 0, count, b, 0);
        }
        UserMemory.writeBack(inOut, b, type, bytes, 0);
    }

    private static MemorySegment data(final MemorySegment memory, final long count, final Datatype type) {
        final long first = type.first(count);
        return memory.asSlice(first, type.span(count) - first);
    }
}
