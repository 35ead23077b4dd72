package tutti.coll;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a buffer that consists of blocks, one per rank or neighbour: the counts and displacements of the MPI call, in packed bytes.
 *
 * <p>Immutable. Layouts are equal if they were given alike, so a layout can be part of a key; a uniform layout does not equal one with arrays.
 */
public final class Blocks {
    private final int count;
    private final long uniform;
    private final long @Nullable [] offsets;
    private final long @Nullable [] lengths;

    private Blocks(final int count, final long uniform, final long @Nullable [] offsets, final long @Nullable [] lengths) {
        this.count = count;
        this.uniform = uniform;
        this.offsets = offsets;
        this.lengths = lengths;
    }

    /**
     * Returns a layout of blocks of equal size, one after the other.
     *
     * @param count number of blocks
     * @param bytes size of each block
     * @throws IllegalArgumentException if an argument is negative
     */
    public static Blocks uniform(final int count, final long bytes) {
        if (count < 0 || bytes < 0) {
            throw new IllegalArgumentException("blocks out of range: count=" + count + ", bytes=" + bytes);
        }
        return new Blocks(count, bytes, null, null);
    }

    /**
     * Returns a layout in which block {@code i} has {@code lengths[i]} bytes from {@code offsets[i]}. Both arrays are copied.
     *
     * @throws IllegalArgumentException if the arrays differ in length, or a value is negative
     */
    public static Blocks of(final long[] lengths, final long[] offsets) {
        if (lengths.length != offsets.length) {
            throw new IllegalArgumentException("lengths and offsets differ in number: lengths=" + lengths.length + ", offsets=" + offsets.length);
        }
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] < 0 || offsets[i] < 0) {
                throw new IllegalArgumentException("block out of range: block=" + i + ", bytes=" + lengths[i] + ", offset=" + offsets[i]);
            }
        }
        return new Blocks(lengths.length, -1, offsets.clone(), lengths.clone());
    }

    /**
     * Returns a layout of blocks of the given lengths, one after the other. The array is copied.
     *
     * @throws IllegalArgumentException if a length is negative
     */
    public static Blocks packed(final long... lengths) {
        final long[] offsets = new long[lengths.length];
        for (int i = 1; i < lengths.length; i++) {
            offsets[i] = offsets[i - 1] + lengths[i - 1];
        }
        return of(lengths, offsets);
    }

    /** Returns the number of blocks: one per rank of the group, or one per neighbour. */
    public int count() {
        return count;
    }

    /** Returns whether the layout was made by {@link #uniform}: blocks of equal size, one after the other. */
    public boolean isUniform() {
        return offsets == null;
    }

    /**
     * Returns the offset of block {@code i} in bytes.
     *
     * @throws IndexOutOfBoundsException if there is no such block
     */
    public long offset(final int i) {
        return offsets == null ? checked(i) * uniform : offsets[i];
    }

    /**
     * Returns the length of block {@code i} in bytes.
     *
     * @throws IndexOutOfBoundsException if there is no such block
     */
    public long bytes(final int i) {
        if (lengths != null) {
            return lengths[i];
        }
        checked(i);
        return uniform;
    }

    /**
     * Returns the range of block {@code i} in a buffer.
     *
     * @throws IndexOutOfBoundsException if there is no such block
     */
    public BufferRange in(final Buffer buffer, final int i) {
        return buffer.at(offset(i), bytes(i));
    }

    /** Returns the sum of the lengths of all blocks, in bytes. */
    public long total() {
        if (lengths == null) {
            return count * uniform;
        }
        long sum = 0;
        for (final long l : lengths) {
            sum += l;
        }
        return sum;
    }

    /** Returns the length in bytes that a buffer needs to hold all blocks. Empty blocks need none, wherever they are. */
    public long end() {
        if (lengths == null || offsets == null) {
            return count * uniform;
        }
        long end = 0;
        for (int i = 0; i < count; i++) {
            end = lengths[i] == 0 ? end : Math.max(end, offsets[i] + lengths[i]);
        }
        return end;
    }

    private long checked(final int i) {
        if (i < 0 || i >= count) {
            throw new IndexOutOfBoundsException("block out of range: block=" + i + ", blocks=" + count);
        }
        return i;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Blocks b && count == b.count && uniform == b.uniform
            && Arrays.equals(offsets, b.offsets) && Arrays.equals(lengths, b.lengths);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * count + Long.hashCode(uniform)) + Arrays.hashCode(offsets)) + Arrays.hashCode(lengths);
    }

    @Override
    public String toString() {
        return lengths == null ? count + "x" + uniform : Arrays.toString(lengths) + "@" + Arrays.toString(offsets);
    }
}
