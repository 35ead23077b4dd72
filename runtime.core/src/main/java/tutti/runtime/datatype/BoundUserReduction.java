package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** A user-defined operation on a type. Its function gets the elements laid out as in user memory. */
final class BoundUserReduction extends BoundReduction {
    /** Largest segment in bytes that is passed to the function without a copy, if the data has the type's layout. A byte buffer can hold it. */
    private static final long DIRECT_BYTES = 1L << 30;
    /** Temporary memory per operand in bytes; at least one element. */
    private static final long STAGED_BYTES = 1L << 16;

    private final UserReduction function;

    BoundUserReduction(final Op op, final UserReduction function, final Datatype type) {
        super(op, type);
        this.function = function;
        if (type.span(1) > Integer.MAX_VALUE) {
            // Remedy: a smaller datatype.
            throw new MpiFailure(ErrorClass.TYPE, "element too large for a user-defined operation: bytes=" + type.span(1) + ", at most "
                + Integer.MAX_VALUE + ", type=" + type.name());
        }
    }

    @Override
    void compute(final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset, final long count) {
        final Datatype type = type();
        final long size = type.size();
        final boolean direct = type.isContiguous() && isBytes(in) && isBytes(inout);
        final long segment = Math.max(1, (direct ? DIRECT_BYTES : STAGED_BYTES) / Math.max(size, type.extent()));
        final Staged staged = direct ? null : new Staged(type, Math.min(segment, count));
        for (long done = 0; done < count; done += segment) {
            final long n = Math.min(segment, count - done);
            final long from = inOffset + done * size;
            final long to = inoutOffset + done * size;
            if (staged == null) {
                function.apply(in.asSlice(from, n * size), inout.asSlice(to, n * size), n, type);
            } else {
                staged.apply(function, in, from, inout, to, n);
            }
        }
    }

    private static boolean isBytes(final MemorySegment memory) {
        return memory.isNative() || memory.heapBase().orElse(null) instanceof byte[];
    }

    @Override
    public MemorySegment newMemory(final long bytes) {
        return ReductionKernels.of(ElementKind.BYTE).newMemory(bytes);
    }

    /** Temporary memory in which the elements of a segment have the type's layout. */
    private static final class Staged {
        private final Datatype type;
        private final MemorySegment a;
        private final MemorySegment b;

        Staged(final Datatype type, final long count) {
            this.type = type;
            this.a = MemorySegment.ofArray(new byte[Math.toIntExact(type.span(count))]);
            this.b = MemorySegment.ofArray(new byte[Math.toIntExact(type.span(count))]);
        }

        void apply(final UserReduction function, final MemorySegment in, final long from, final MemorySegment inout, final long to, final long n) {
            final long base = -Math.min(0, type.first(n));
            final long span = type.span(n);
            type.unpack(in, from, n, a, base);
            type.unpack(inout, to, n, b, base);
            function.apply(a.asSlice(0, span), b.asSlice(0, span), n, type);
            type.pack(b, base, n, inout, to);
        }
    }
}
