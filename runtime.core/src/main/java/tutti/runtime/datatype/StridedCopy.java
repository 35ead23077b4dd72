package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Copies small blocks at equal distances between user memory and a packed byte array, word by word. Stateless, for any thread.
 *
 * <p>A copy of memory segments takes as long for 8 bytes as for 100, and their accessors are slow once they have seen several kinds of memory.
 * Therefore each kind of array has its own loop, and each word size of native memory too.
 */
final class StridedCopy {
    /** Largest block in bytes; longer blocks are copied as fast one by one. */
    private static final int MAX_LENGTH = 32;
    /** Smallest number of blocks for which it is worth determining the kind of memory. */
    private static final int MIN_COUNT = 6;
    /** Number of blocks per pass when a block has several words, so that they stay in the cache from word to word. */
    private static final int BLOCKS_PER_PASS = 256;

    private static final VarHandle CHARS = view(char[].class);
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);
    private static final VarHandle FLOATS = view(float[].class);
    private static final VarHandle DOUBLES = view(double[].class);

    private StridedCopy() {}

    private static VarHandle view(final Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
    }

    /**
     * Copies {@code count} blocks of {@code length} bytes. In user memory the first is at {@code base}, with {@code stride} bytes from block to
     * block. In packed memory it is at {@code at}, with {@code step} bytes from block to block.
     *
     * @return false if such blocks or such memory are not supported; nothing is copied then
     * @throws IndexOutOfBoundsException if a block is not within its memory
     */
    static boolean move(final boolean pack, final MemorySegment user, final long base, final long stride, final MemorySegment packed,
        final long at, final long step, final long length, final long count) {
        if (length > MAX_LENGTH || count < MIN_COUNT || packed.isNative() || !(packed.heapBase().orElse(null) instanceof final byte[] bytes)) {
            return false;
        }
        final long low = Math.min(base, base + (count - 1) * stride);
        final long span = Math.abs((count - 1) * stride) + length;
        Objects.checkFromIndexSize(low, span, user.byteSize());
        Objects.checkFromIndexSize(at, (count - 1) * step + length, packed.byteSize());
        if (user.isNative() && span > Integer.MAX_VALUE) {
            final long half = count / 2;
            return move(pack, user, base, stride, packed, at, step, length, half)
                && move(pack, user, base + half * stride, stride, packed, at + half * step, step, length, count - half);
        }
        final Object memory = user.isNative() ? user.asSlice(low, span).asByteBuffer().order(ByteOrder.nativeOrder())
            : user.heapBase().orElse(null);
        if (memory == null) {
            return false;
        }
        final long from = user.isNative() ? base - low : user.address() + base;
        final int word = word(memory, from, stride, length);
        final int chunk = length == word ? (int) count : BLOCKS_PER_PASS;
        for (int i = 0; i < count && word > 0; i += chunk) {
            final int n = (int) Math.min(chunk, count - i);
            for (int k = 0; k < length; k += word) {
                words(pack, memory, word, from + i * stride + k, stride, bytes, (int) (packed.address() + at + i * step + k), (int) step, n);
            }
        }
        return word > 0;
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
            case byte[] a -> 0;
            case ByteBuffer b -> 0;
            default -> Integer.MAX_VALUE;
        };
        if (entry == 0) {
            return (int) Math.min(Long.BYTES, Long.lowestOneBit(length));
        }
        return Long.lowestOneBit(from | stride | length) < entry ? 0 : entry;
    }

    /** Copies one word of each block. */
    private static void words(final boolean pack, final Object memory, final int word, final long base, final long stride, final byte[] packed,
        final int at, final int step, final int count) {
        final boolean bytes = memory instanceof byte[] || memory instanceof ByteBuffer;
        final int from = (int) (bytes ? base : base / word);
        final int by = (int) (bytes ? stride : stride / word);
        switch (memory) {
            case byte[] a when pack -> bytes(word, a, from, by, packed, at, step, count);
            case byte[] a -> bytes(word, packed, at, step, a, from, by, count);
            case ByteBuffer b when pack -> pack(word, b, from, by, packed, at, step, count);
            case ByteBuffer b -> unpack(word, b, from, by, packed, at, step, count);
            case char[] a -> chars(pack, a, from, by, packed, at, step, count);
            case short[] a -> shorts(pack, a, from, by, packed, at, step, count);
            case int[] a -> ints(pack, a, from, by, packed, at, step, count);
            case float[] a -> floats(pack, a, from, by, packed, at, step, count);
            case long[] a -> longs(pack, a, from, by, packed, at, step, count);
            default -> doubles(pack, (double[]) memory, from, by, packed, at, step, count);
        }
    }

    private static void pack(final int word, final ByteBuffer user, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        switch (word) {
            case Long.BYTES -> {
                for (int i = 0; i < count; i++) {
                    LONGS.set(packed, at + i * step, user.getLong(from + i * by));
                }
            }
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    INTS.set(packed, at + i * step, user.getInt(from + i * by));
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    SHORTS.set(packed, at + i * step, user.getShort(from + i * by));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    packed[at + i * step] = user.get(from + i * by);
                }
            }
        }
    }

    private static void unpack(final int word, final ByteBuffer user, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        switch (word) {
            case Long.BYTES -> {
                for (int i = 0; i < count; i++) {
                    user.putLong(from + i * by, (long) LONGS.get(packed, at + i * step));
                }
            }
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    user.putInt(from + i * by, (int) INTS.get(packed, at + i * step));
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    user.putShort(from + i * by, (short) SHORTS.get(packed, at + i * step));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    user.put(from + i * by, packed[at + i * step]);
                }
            }
        }
    }

    private static void bytes(final int word, final byte[] a, final int from, final int by, final byte[] b, final int at,
        final int step, final int count) {
        switch (word) {
            case Long.BYTES -> {
                for (int i = 0; i < count; i++) {
                    LONGS.set(b, at + i * step, (long) LONGS.get(a, from + i * by));
                }
            }
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    INTS.set(b, at + i * step, (int) INTS.get(a, from + i * by));
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    SHORTS.set(b, at + i * step, (short) SHORTS.get(a, from + i * by));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    b[at + i * step] = a[from + i * by];
                }
            }
        }
    }

    private static void chars(final boolean pack, final char[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                CHARS.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (char) CHARS.get(packed, at + i * step);
            }
        }
    }

    private static void shorts(final boolean pack, final short[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                SHORTS.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (short) SHORTS.get(packed, at + i * step);
            }
        }
    }

    private static void ints(final boolean pack, final int[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                INTS.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (int) INTS.get(packed, at + i * step);
            }
        }
    }

    private static void longs(final boolean pack, final long[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                LONGS.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (long) LONGS.get(packed, at + i * step);
            }
        }
    }

    private static void floats(final boolean pack, final float[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                FLOATS.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (float) FLOATS.get(packed, at + i * step);
            }
        }
    }

    private static void doubles(final boolean pack, final double[] a, final int from, final int by, final byte[] packed, final int at,
        final int step, final int count) {
        if (pack) {
            for (int i = 0; i < count; i++) {
                DOUBLES.set(packed, at + i * step, a[from + i * by]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                a[from + i * by] = (double) DOUBLES.get(packed, at + i * step);
            }
        }
    }
}
