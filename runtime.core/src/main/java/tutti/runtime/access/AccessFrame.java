package tutti.runtime.access;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The payloads of the frames by which nodes access windows of each other. Numbers are little-endian; data is as in memory.
 *
 * <pre>
 *  0        1           2      4      8        16       20       24         32      40
 *  +--------+-----------+------+------+--------+--------+--------+----------+-------+------+------
 *  | action | operation | kind | runs | window | target | origin | position | bytes | runs | data
 *  +--------+-----------+------+------+--------+--------+--------+----------+-------+------+------
 *  answer
 *  +-------------+------+----------+-------+------
 *  | error class | 0    | position | bytes | data, or the text of the error
 *  +-------------+------+----------+-------+------
 *  0             4      8          16      24
 * </pre>
 *
 * {@code runs} is the number of {@link DataRuns} of the target's memory, which a frame accesses; {@code position} is that of its data within that of
 * the operation, and {@code bytes} its length. An answer says for how many bytes it is, so that the origin knows when it has all.
 */
final class AccessFrame {
    /** Bytes before the payload, which the network writes. */
    static final int PREFIX = 48;
    /** Bytes before the runs. */
    static final int FIELDS = 40;
    /** Bytes of an answer before its data. */
    static final int ANSWER_FIELDS = 24;
    /** Most runs of a frame. */
    static final int MAX_RUNS = AccessOperation.MOST_RUNS + 1;

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private AccessFrame() {}

    static void write(final byte[] header, final AccessOperation.Action action, final int operation, final int kind, final long window,
        final int target, final int origin) {
        header[PREFIX] = (byte) action.ordinal();
        header[PREFIX + 1] = (byte) operation;
        header[PREFIX + 2] = (byte) kind;
        LONGS.set(header, PREFIX + 8, window);
        INTS.set(header, PREFIX + 16, target);
        INTS.set(header, PREFIX + 20, origin);
    }

    static void writePart(final byte[] header, final int runs, final long position, final long bytes) {
        INTS.set(header, PREFIX + 4, runs);
        LONGS.set(header, PREFIX + 24, position);
        LONGS.set(header, PREFIX + 32, bytes);
    }

    static void writeAnswer(final byte[] header, final int errorClass, final long position, final long bytes) {
        INTS.set(header, PREFIX, errorClass);
        LONGS.set(header, PREFIX + 8, position);
        LONGS.set(header, PREFIX + 16, bytes);
    }

    static int action(final MemorySegment m, final long at) {
        return m.get(ValueLayout.JAVA_BYTE, at);
    }

    static int operation(final MemorySegment m, final long at) {
        return m.get(ValueLayout.JAVA_BYTE, at + 1);
    }

    static int kind(final MemorySegment m, final long at) {
        return m.get(ValueLayout.JAVA_BYTE, at + 2);
    }

    static int runs(final MemorySegment m, final long at) {
        return m.get(INT, at + 4);
    }

    static long window(final MemorySegment m, final long at) {
        return m.get(LONG, at + 8);
    }

    static int target(final MemorySegment m, final long at) {
        return m.get(INT, at + 16);
    }

    static int origin(final MemorySegment m, final long at) {
        return m.get(INT, at + 20);
    }

    static long position(final MemorySegment m, final long at) {
        return m.get(LONG, at + 24);
    }

    static long bytes(final MemorySegment m, final long at) {
        return m.get(LONG, at + 32);
    }

    static int errorClass(final MemorySegment m, final long at) {
        return m.get(INT, at);
    }

    static long answerPosition(final MemorySegment m, final long at) {
        return m.get(LONG, at + 8);
    }

    static long answerBytes(final MemorySegment m, final long at) {
        return m.get(LONG, at + 16);
    }
}
