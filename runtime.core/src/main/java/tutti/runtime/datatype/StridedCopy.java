package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies blocks of a few words at equal distances between user memory and packed memory, word by word. Stateless, for any thread.
 *
 * <p>A copy of memory segments takes as long for 8 bytes as for 100, and their accessors are slow once they have seen several kinds of memory.
 * Therefore each kind of array has its own loop. Packed memory, native memory and arrays of bytes are accessed as byte buffers, of which there are
 * two classes.
 */
final class StridedCopy {
    /** Most words of a block; longer blocks are copied as fast one by one. */
    private static final int MAX_WORDS = 8;
    /** Smallest number of blocks for which it is worth determining the kind of memory. */
    private static final int MIN_COUNT = 6;
    /** Number of blocks per pass when a block has several words, so that they stay in the cache from word to word. */
    private static final int BLOCKS_PER_PASS = 64;

    private StridedCopy() {}

    /**
     * Copies {@code count} blocks of {@code length} bytes. In user memory the first is at {@code base}, with {@code stride} bytes from block to
     * block. In packed memory it is at {@code at}, with {@code step} bytes from block to block.
     *
     * @return false if such blocks or such memory are not supported; nothing is copied then
     * @throws IndexOutOfBoundsException if a block is not within its memory
     */
    static boolean move(final boolean pack, final MemorySegment user, final long base, final long stride, final MemorySegment packed,
        final long at, final long step, final long length, final long count) {
        if (length > MAX_WORDS * Long.BYTES || count < MIN_COUNT) {
            return false;
        }
        final long low = Math.min(base, base + (count - 1) * stride);
        final long span = Math.abs((count - 1) * stride) + length;
        final long packedSpan = (count - 1) * step + length;
        Objects.checkFromIndexSize(low, span, user.byteSize());
        Objects.checkFromIndexSize(at, packedSpan, packed.byteSize());
        if (Math.max(span, packedSpan) > Integer.MAX_VALUE) {
            final long half = count / 2;
            return move(pack, user, base, stride, packed, at, step, length, half)
                && move(pack, user, base + half * stride, stride, packed, at + half * step, step, length, count - half);
        }
        final Object memory = memory(user, low, span);
        if (!(memory(packed, at, packedSpan) instanceof final ByteBuffer bytes) || memory == null) {
            return false;
        }
        final long from = memory instanceof ByteBuffer ? base - low : user.address() + base;
        final int word = word(memory, from, stride, length);
        if (word == 0 || length / word > MAX_WORDS) {
            return false;
        }
        final int chunk = length == word ? (int) count : BLOCKS_PER_PASS;
        for (int i = 0; i < count; i += chunk) {
            final int n = (int) Math.min(chunk, count - i);
            for (int k = 0; k < length; k += word) {
                words(pack, memory, word, from + i * stride + k, stride, bytes, i * (int) step + k, (int) step, n);
            }
        }
        return true;
    }

    /** Returns a part of native memory or of an array of bytes as a buffer, and another array as a whole; null for memory that cannot be written. */
    private static @Nullable Object memory(final MemorySegment segment, final long offset, final long bytes) {
        if (segment.isNative()) {
            return segment.asSlice(offset, bytes).asByteBuffer().order(ByteOrder.nativeOrder());
        }
        final Object array = segment.heapBase().orElse(null);
        return array instanceof final byte[] a
            ? ByteBuffer.wrap(a).slice((int) (segment.address() + offset), (int) bytes).order(ByteOrder.nativeOrder()) : array;
    }

    /** Returns the bytes that are copied at once; 0 when blocks are not aligned to the entries of the array. */
    private static int word(final Object memory, final long from, final long stride, final long length) {
        final int entry = switch (memory) {
            case char[] a -> Character.BYTES;
            case short[] a -> Short.BYTES;
            case int[] a -> Integer.BYTES;
            case float[] a -> Float.BYTES;
            case long[] a -> Long.BYTES;
            case double[] a -> Double.BYTES;
            case ByteBuffer b -> 0;
            default -> Integer.MAX_VALUE;
        };
        if (entry == 0) {
            return (int) Math.min(Long.BYTES, Long.lowestOneBit(length));
        }
        return Long.lowestOneBit(from | stride | length) < entry ? 0 : entry;
    }

    /** Copies one word of each block. */
    private static void words(final boolean pack, final Object memory, final int word, final long base, final long stride,
        final ByteBuffer packed, final int at, final int step, final int count) {
        final boolean isBytes = memory instanceof ByteBuffer;
        final int from = (int) (isBytes ? base : base / word);
        final int by = (int) (isBytes ? stride : stride / word);
        switch (memory) {
            case ByteBuffer b when pack -> copy(word, b, from, by, packed, at, step, count);
            case ByteBuffer b -> copy(word, packed, at, step, b, from, by, count);
            case char[] a -> chars(pack, a, from, by, packed, at, step, count);
            case short[] a -> shorts(pack, a, from, by, packed, at, step, count);
            case int[] a -> ints(pack, a, from, by, packed, at, step, count);
            case long[] a -> longs(pack, a, from, by, packed, at, step, count);
            case float[] a -> floats(pack, a, from, by, packed, at, step, count);
            default -> doubles(pack, (double[]) memory, from, by, packed, at, step, count);
        }
    }

    private static void copy(final int word, final ByteBuffer a, final int from, final int by, final ByteBuffer b, final int at, final int step,
        final int count) {
        switch (word) {
            case Long.BYTES -> {
                for (int i = 0; i < count; i++) {
                    b.putLong(at + i * step, a.getLong(from + i * by));
                }
            }
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    b.putInt(at + i * step, a.getInt(from + i * by));
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    b.putShort(at + i * step, a.getShort(from + i * by));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    b.put(at + i * step, a.get(from + i * by));
                }
            }
        }
    }

    private static void chars(final boolean pack, final char[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putChar(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getChar(at + i * step);
            }
        }
    }

    private static void shorts(final boolean pack, final short[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putShort(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getShort(at + i * step);
            }
        }
    }

    private static void ints(final boolean pack, final int[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putInt(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getInt(at + i * step);
            }
        }
    }

    private static void longs(final boolean pack, final long[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putLong(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getLong(at + i * step);
            }
        }
    }

    private static void floats(final boolean pack, final float[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putFloat(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getFloat(at + i * step);
            }
        }
    }

    private static void doubles(final boolean pack, final double[] a, final int from, final int by, final ByteBuffer packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                packed.putDouble(at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = packed.getDouble(at + i * step);
            }
        }
    }
}
