package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.Reduction;

/**
 * An operation bound to an element type. Two are equal when operation and type are. Immutable, for any thread.
 *
 * <p>Predefined operations are fastest when both operands are in arrays of the type that {@link #newMemory} allocates.
 */
public abstract sealed class BoundReduction implements Reduction permits PredefinedReduction, BoundUserReduction {
    private final Op op;
    private final Datatype type;

    BoundReduction(final Op op, final Datatype type) {
        this.op = op;
        this.type = type;
    }

    /** Returns the operation. */
    public final Op op() {
        return op;
    }

    /** Returns the type of the elements. For a predefined operation it is the predefined type, even if a duplicate was bound. */
    public final Datatype type() {
        return type;
    }

    /** Returns the packed bytes of one element; 1 for a type without data, which never has elements to reduce. */
    @Override
    public final long elementBytes() {
        return Math.max(1, type.size());
    }

    @Override
    public final boolean isCommutative() {
        return op.isCommutative();
    }

    @Override
    public final @Nullable String operation() {
        return op.isUser() ? null : op.name();
    }

    @Override
    public final @Nullable String elementType() {
        return op.isUser() ? null : type.name();
    }

    /**
     * Computes {@code inout = in op inout} over {@code count} packed elements. The ranges must not overlap, unless they are the same.
     *
     * @throws IndexOutOfBoundsException if a range is not within its segment
     */
    public final void apply(final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset, final long count) {
        final long bytes = Math.multiplyExact(count, elementBytes());
        Objects.checkFromIndexSize(inOffset, bytes, in.byteSize());
        Objects.checkFromIndexSize(inoutOffset, bytes, inout.byteSize());
        if (bytes > 0) {
            compute(in, inOffset, inout, inoutOffset, count);
        }
    }

    /** Computes after the ranges were checked; there is at least one byte. */
    abstract void compute(MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);

    /**
     * Allocates heap memory for packed elements, in an array of the type on which this reduction is fastest; {@code bytes} is rounded up to
     * entries.
     */
    public abstract MemorySegment newMemory(long bytes);

    @Override
    public final boolean equals(final Object other) {
        return other instanceof BoundReduction b && op == b.op && type == b.type;
    }

    @Override
    public final int hashCode() {
        return 31 * System.identityHashCode(op) + System.identityHashCode(type);
    }

    @Override
    public final String toString() {
        return op.name() + "(" + type.name() + ")";
    }
}
