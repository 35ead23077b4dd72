package tutti.runtime.datatype;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Access to the memory behind the buffers of package {@code mpi}: arrays of primitive types, java.nio buffers and memory segments.
 *
 * <p>The memory of a java.nio buffer is all of it, from its own start to its capacity, regardless of position, limit and byte order. Elements may
 * have data before the start of a buffer that is a part of an array: see {@link #from}. All methods are safe for any thread. Errors are
 * {@link MpiFailure}s, most of class BUFFER.
 */
public final class UserMemory {
    /** A thread that is never started, used to detect memory that is confined to one thread: messages are copied by other threads. */
    private static final Thread OTHER_THREAD = newOtherThread();

    private UserMemory() {
    }

    /**
     * Creates the thread. This class may be initialised on a rank's thread, so the thread must not inherit anything from it: that would keep the
     * rank reachable for ever.
     */
    private static Thread newOtherThread() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        final Thread thread = new Thread(group, null, "tutti-nobody", 0, false);
        thread.setContextClassLoader(null);
        return thread;
    }

    /**
     * Returns the memory behind a buffer. For a {@code boolean[]}, which no segment can view, it is a copy with a byte, 0 or 1, for each entry:
     * see {@link #isStaged}.
     */
    public static MemorySegment of(final @Nullable Object buffer) {
        return switch (buffer) {
            case byte[] a -> MemorySegment.ofArray(a);
            case char[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            case boolean[] a -> copyOf(a);
            case Buffer b -> ofBuffer(b);
            case MemorySegment s -> shared(s);
            case null -> throw new MpiFailure(ErrorClass.BUFFER, "buffer is null");
            case Object other -> throw notABuffer(other, null);
        };
    }

    /**
     * Returns the memory behind a buffer for data that begins at byte {@code first}, relative to the start of the buffer: where that is before the
     * start of a java.nio buffer that is a part of an array, the memory begins with the array. {@link #startIn} returns where the buffer starts
     * in it.
     *
     * @param first  offset of the first byte of data
     * @param memory the memory behind the buffer, as {@link #of} returns it
     */
    public static MemorySegment from(final long first, final @Nullable Object buffer, final MemorySegment memory) {
        if (first >= 0 || !(buffer instanceof Buffer b) || !b.hasArray() || first < -memory.address()) {
            return memory;
        }
        return of(b.array()).asSlice(0, memory.address() + memory.byteSize());
    }

    /** Returns the offset of memory within what {@link #from} returned for it. */
    public static long startIn(final MemorySegment extended, final MemorySegment memory) {
        return extended.byteSize() - memory.byteSize();
    }

    /**
     * Rejects a buffer whose elements are of another kind than the type's. Byte buffers are accepted with every type, and byte types with every
     * buffer. Null, the buffer of no elements, is accepted with every type as well.
     *
     * @param isRefused returns whether buffers of another kind are rejected; else their memory is used as it is
     */
    public static void checkKind(final @Nullable Object buffer, final Datatype type, final BooleanSupplier isRefused) {
        if (buffer == null) {
            return;
        }
        final ElementKind base = type.baseType().elementKind();
        final ElementKind kind = kindOf(buffer);
        if (kind != ElementKind.NONE && kind != base && base != ElementKind.BYTE && base != ElementKind.NONE && isRefused.getAsBoolean()) {
            // Cause: for example an array of double with `MPI.INT`. Remedy: the datatype of the array, or as the message says.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer of another kind than the type: buffer=" + buffer.getClass().getSimpleName()
                + ", type=" + type.name() + ", use elements of kind " + base.name().toLowerCase(Locale.ROOT)
                + " or bytes; -p check.kinds=off takes the memory as it is");
        }
    }

    private static ElementKind kindOf(final Object buffer) {
        return switch (buffer) {
            case char[] a -> ElementKind.CHAR;
            case short[] a -> ElementKind.SHORT;
            case int[] a -> ElementKind.INT;
            case long[] a -> ElementKind.LONG;
            case float[] a -> ElementKind.FLOAT;
            case double[] a -> ElementKind.DOUBLE;
            case boolean[] a -> ElementKind.BOOLEAN;
            case CharBuffer b -> ElementKind.CHAR;
            case ShortBuffer b -> ElementKind.SHORT;
            case IntBuffer b -> ElementKind.INT;
            case LongBuffer b -> ElementKind.LONG;
            case FloatBuffer b -> ElementKind.FLOAT;
            case DoubleBuffer b -> ElementKind.DOUBLE;
            default -> ElementKind.NONE;
        };
    }

    /** Returns whether {@link #of} copies this buffer, so that received data has to be written back. */
    public static boolean isStaged(final @Nullable Object buffer) {
        return buffer instanceof boolean[];
    }

    /** Copies {@code bytes} bytes, from {@code fromByte} on, of a staged copy back to its buffer; does nothing for buffers that are not staged. */
    public static void writeBack(final @Nullable Object buffer, final MemorySegment staged, final long fromByte, final long bytes) {
        if (buffer instanceof boolean[] values) {
            final byte[] copy = (byte[]) staged.heapBase().orElseThrow();
            for (int i = (int) fromByte; i < fromByte + bytes; i++) {
                values[i] = copy[i] != 0;
            }
        }
    }

    /**
     * Copies the first {@code bytes} packed bytes of elements, which begin at byte {@code offset}, back to the buffer. The gaps between them are
     * not touched, because another operation may write there at the same time.
     */
    public static void writeBack(final @Nullable Object buffer, final MemorySegment staged, final Datatype type, final long bytes,
        final long offset) {
        if (buffer instanceof boolean[] values && bytes > 0) {
            final byte[] copy = (byte[]) staged.heapBase().orElseThrow();
            final byte[] received = new byte[copy.length];
            final byte[] ones = new byte[Math.toIntExact(bytes)];
            Arrays.fill(ones, (byte) 1);
            type.unpackRange(MemorySegment.ofArray(ones), 0, 0, bytes, MemorySegment.ofArray(received), offset);
            for (int i = 0; i < received.length; i++) {
                if (received[i] != 0) {
                    values[i] = copy[i] != 0;
                }
            }
        }
    }

    /** Returns whether two memory segments have a byte in common. */
    public static boolean overlap(final MemorySegment a, final MemorySegment b) {
        return a.asOverlappingSlice(b).isPresent();
    }

    /**
     * Rejects what cannot be read: a negative count, a buffer that is too small, an unusable type.
     *
     * @param memory the memory of the buffer from element 0 on
     */
    public static void check(final MemorySegment memory, final long count, final Datatype type) {
        check(memory, 0, count, type);
    }

    /** Checks as {@link #check(MemorySegment, long, Datatype)} does, with element 0 at byte {@code offset} of the memory. */
    public static void check(final MemorySegment memory, final long offset, final long count, final Datatype type) {
        Datatype.checkType(type);
        Datatype.checkCount(count);
        final long need = need(count, type);
        final long first = need == Long.MAX_VALUE ? 0 : type.first(count);
        final long have = memory.byteSize() - offset;
        if (need > 0 && need + Math.min(0, first) > have) {
            // Cause: the array has fewer elements than the count says. Remedy: a larger array or a smaller count.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer too small: need=" + need + ", have=" + have
                + " bytes (count=" + count + ", type=" + type.name() + ")");
        }
        if (need > 0 && offset + first < 0) {
            // Cause: the lower bound of the datatype is negative. Remedy: an offset into the array, or another datatype.
            throw new MpiFailure(ErrorClass.BUFFER, "data begins before the buffer: first byte=" + (offset + first)
                + " (count=" + count + ", type=" + type.name() + ")");
        }
    }

    /** Rejects what cannot be received into: what {@link #check} rejects, and read-only memory. */
    public static void checkReceive(final MemorySegment memory, final long count, final Datatype type) {
        check(memory, count, type);
        checkWritable(memory, count, type);
    }

    /** Rejects read-only memory, unless nothing is received. */
    public static void checkWritable(final MemorySegment memory, final long count, final Datatype type) {
        if (memory.isReadOnly() && count > 0) {
            // Cause: a read-only buffer cannot receive. Remedy: another buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "receive buffer is read only: count=" + count + ", type=" + type.name());
        }
    }

    private static long need(final long count, final Datatype type) {
        try {
            return type.span(count);
        } catch (final ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Copies a buffer to its staged copy again; does nothing for buffers that are not staged. */
    public static void restage(final @Nullable Object buffer, final MemorySegment staged) {
        if (buffer instanceof boolean[] values) {
            copy(values, (byte[]) staged.heapBase().orElseThrow());
        }
    }

    private static MemorySegment copyOf(final boolean[] values) {
        final byte[] copy = new byte[values.length];
        copy(values, copy);
        return MemorySegment.ofArray(copy);
    }

    private static void copy(final boolean[] values, final byte[] copy) {
        for (int i = 0; i < copy.length; i++) {
            copy[i] = (byte) (values[i] ? 1 : 0);
        }
    }

    private static MemorySegment ofBuffer(final Buffer buffer) {
        try {
            return shared(MemorySegment.ofBuffer(buffer.duplicate().clear()));
        } catch (final IllegalArgumentException e) {
            throw notABuffer(buffer, e);
        }
    }

    private static MemorySegment shared(final MemorySegment memory) {
        if (!memory.isAccessibleBy(OTHER_THREAD)) {
            // Cause: the memory of a confined arena is closed to the threads of the runtime.
            throw new MpiFailure(ErrorClass.BUFFER, "buffer belongs to one thread: use memory of a shared, automatic or global arena");
        }
        return memory;
    }

    private static MpiFailure notABuffer(final Object buffer, final @Nullable Exception cause) {
        return new MpiFailure(ErrorClass.BUFFER, "not a buffer: class=" + buffer.getClass().getTypeName()
            + ", use an array of a primitive type or a java.nio buffer", cause);
    }
}
