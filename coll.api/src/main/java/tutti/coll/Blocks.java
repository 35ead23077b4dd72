package tutti.coll;

import java.util.Arrays;

/**
 * Where the blocks of a buffer lie, one block per rank: the counts and displacements of the MPI call, in packed bytes.
 *
 * <p>Immutable; equal when the placement is equal, so that it can be part of a key.
 */
public final class Blocks {
    private final int count;
    private final long uniform;
    private final long[] offsets;
    private final long[] lengths;

    private Blocks(final int count, final long uniform, final long[] offsets, final long[] lengths) {
        this.count = count;
        this.uniform = uniform;
        this.offsets = offsets;
        this.lengths = lengths;
    }

    /** {@code count} blocks of {@code bytes} bytes, one after the other. */
    public static Blocks uniform(final int count, final long bytes) {
        if (count < 0 || bytes < 0) {
            throw new IllegalArgumentException("blocks out of range: count=" + count + ", bytes=" + bytes);
        }
        return new Blocks(count, bytes, null, null);
    }

    /** Block {@code i} has {@code lengths[i]} bytes from {@code offsets[i]}; both arrays are copied. */
    public static Blocks of(final long[] lengths, final long[] offsets) {
        if (lengths.length != offsets.length) {
            throw new IllegalArgumentException("as many lengths as offsets: lengths=" + lengths.length + ", offsets=" + offsets.length);
        }
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] < 0 || offsets[i] < 0) {
                throw new IllegalArgumentException("block out of range: block=" + i + ", bytes=" + lengths[i] + ", offset=" + offsets[i]);
            }
        }
        return new Blocks(lengths.length, -1, offsets.clone(), lengths.clone());
    }

    /** Blocks of the given lengths, one after the other; the array is copied. */
    public static Blocks packed(final long... lengths) {
        final long[] offsets = new long[lengths.length];
        for (int i = 1; i < lengths.length; i++) {
            offsets[i] = offsets[i - 1] + lengths[i - 1];
        }
        return of(lengths, offsets);
    }

    /** How many blocks there are: one per rank of the group that they belong to. */
    public int count() {
        return count;
    }

    /** Whether all blocks have one size and lie one after the other. */
    public boolean isUniform() {
        return offsets == null;
    }

    /** The first byte of block {@code i}. */
    public long offset(final int i) {
        return offsets == null ? checked(i) * uniform : offsets[i];
    }

    /** The length of block {@code i} in bytes. */
    public long bytes(final int i) {
        if (lengths != null) {
            return lengths[i];
        }
        checked(i);
        return uniform;
    }

    /** Block {@code i} of a buffer. */
    public BufferRange in(final Buffer buffer, final int i) {
        return buffer.at(offset(i), bytes(i));
    }

    /** The bytes of all blocks together. */
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

    /** The first byte after the last block: how long a buffer must be to hold them. */
    public long end() {
        if (lengths == null) {
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
