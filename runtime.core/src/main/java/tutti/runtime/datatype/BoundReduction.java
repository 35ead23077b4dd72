package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import tutti.coll.Reduction;

/**
 * An operation bound to an element type. Equal when operation and type are; immutable, for any thread.
 *
 * <p>Predefined operations are at their best when both operands lie in arrays of {@link #newMemory}'s kind.
 */
public abstract sealed class BoundReduction implements Reduction permits PredefinedReduction, BoundUserReduction {
    private final Op op;
    private final Datatype type;

    BoundReduction(final Op op, final Datatype type) {
        this.op = op;
        this.type = type;
    }

    /** The operation. */
    public final Op op() {
        return op;
    }

    /** The type of the elements; for a predefined operation the predefined type, though it was bound to a duplicate. */
    public final Datatype type() {
        return type;
    }

    /** Packed bytes of one element; 1 for a type without data, of which there are never any elements to reduce. */
    @Override
    public final long elementBytes() {
        return Math.max(1, type.size());
    }

    @Override
    public final boolean isCommutative() {
        return op.isCommutative();
    }

    /**
     * Computes {@code inout = in op inout} over {@code count} packed elements. The ranges must not overlap, unless they are the same.
     *
     * @throws IndexOutOfBoundsException when a range does not lie in its segment
     */
    public final void apply(final MemorySegment in, final long inOffset, final MemorySegment inout, final long inoutOffset, final long count) {
        final long bytes = Math.multiplyExact(count, elementBytes());
        Objects.checkFromIndexSize(inOffset, bytes, in.byteSize());
        Objects.checkFromIndexSize(inoutOffset, bytes, inout.byteSize());
        if (bytes > 0) {
            compute(in, inOffset, inout, inoutOffset, count);
        }
    }

    /** The ranges were checked, and there is at least one byte. */
    abstract void compute(MemorySegment in, long inOffset, MemorySegment inout, long inoutOffset, long count);

    /** New heap memory for packed elements, of the array type on which this reduction is fastest; {@code bytes} rounded up to entries. */
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
