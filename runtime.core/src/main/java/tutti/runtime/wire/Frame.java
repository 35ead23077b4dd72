package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import tutti.runtime.match.Send;

/**
 * The wire protocol between two nodes of a job. Frames are little-endian on every machine.
 *
 * <pre>
 *  0      1              4           8           16       24       32       40       48
 *  +------+--------------+-----------+-----------+--------+--------+--------+--------+---------
 *  | kind | destination  | source    | context   | tag    | bytes  | id     | call   | payload
 *  +------+--------------+-----------+-----------+--------+--------+--------+--------+---------
 *  EAGER  world rank       of the message                   length            of the   the data
 *  RTS    world rank       of the message                   length   send     message  the key of the data, if it can be read
 *  CTS                                            receive   wanted   send
 *  WRITE                                 position receive   wanted   send              the key of the memory to write to
 *  WRITTEN                                                  done     receive
 *  DATA                                           position           receive  a segment
 *  ACCESS                                                            access   an access to windows; its number is -1 where it is not answered
 *  ANSWER                                                            access   the answer to one
 *  CREDIT                                                   freed
 *  CANCEL world rank                                                 send
 *  LEAVE  (the last frame; the link will be closed)
 * </pre>
 *
 * A short message is sent EAGER while the receiving node has memory reserved for it (credit). Any other message uses rendezvous: the sender
 * announces it by an RTS, the receiver answers with a CTS when a receive matches, and the data is written straight to the receiver's memory.
 *
 * <p>A CANCEL asks the receiver to remove a message that an RTS announced. Each RTS has one CTS as its answer: if the message was removed, a CTS
 * that wants {@link #REMOVED} bytes; if a receive has matched it before, the usual one. A message that nobody may receive any more is answered with a
 * CTS that wants {@link #LOST} or {@link #REVOKED} bytes.
 *
 * <p>Where the transport gives access to the memory of the other node, an RTS has the key of data that is not on the heap. The receiver then reads
 * the data itself, and answers with a CTS that wants {@link #READ} bytes; or with the usual one, if it cannot. While it reads one part, it may ask
 * for the other by a WRITE, once for a message: the sender writes this part to the receiver's memory, and says by WRITTEN whether it has (1) or
 * could not (0). The CTS follows.
 */
final class Frame {
    static final int HEADER = 48;

    static final int EAGER = 1;
    static final int RTS = 2;
    static final int CTS = 3;
    static final int DATA = 4;
    static final int CREDIT = 5;
    static final int LEAVE = 6;
    static final int CANCEL = 7;
    static final int WRITE = 8;
    static final int WRITTEN = 9;
    static final int ACCESS = 10;
    static final int ANSWER = 11;

    /** Number of bytes that a CTS wants of a message that was removed, as its sender asked for. */
    static final long REMOVED = -1;
    /** Number of bytes that a CTS wants of a message whose data the receiver has read. */
    static final long READ = -2;
    /** Number of bytes that a CTS wants of a message whose receiver has failed. */
    static final long LOST = -3;
    /** Number of bytes that a CTS wants of a message whose communicator was revoked. */
    static final long REVOKED = -4;

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Frame() {}

    static void write(final byte[] header, final int kind, final int destination, final long context, final int source, final long tag,
        final long bytes, final long id) {
        INTS.set(header, 0, kind | destination << Byte.SIZE);
        INTS.set(header, 4, source);
        LONGS.set(header, 8, context);
        LONGS.set(header, 16, tag);
        LONGS.set(header, 24, bytes);
        LONGS.set(header, 32, id);
        LONGS.set(header, 40, 0L);
    }

    /**
     * Writes a header with the envelope of a message.
     *
     * @param base what this node adds to ranks of the receiving node's job to number them
     */
    static void write(final byte[] header, final int kind, final Send send, final int base, final long id) {
        write(header, kind, send.destination() - base, send.context(), send.source(), send.tag(), send.bytes(), id);
        LONGS.set(header, 40, send.call());
    }

    static int kind(final MemorySegment m, final long at) {
        return m.get(INT, at) & 0xff;
    }

    static int destination(final MemorySegment m, final long at) {
        return m.get(INT, at) >>> Byte.SIZE;
    }

    static long context(final MemorySegment m, final long at) {
        return m.get(LONG, at + 8);
    }

    static int source(final MemorySegment m, final long at) {
        return m.get(INT, at + 4);
    }

    static long tag(final MemorySegment m, final long at) {
        return m.get(LONG, at + 16);
    }

    static long bytes(final MemorySegment m, final long at) {
        return m.get(LONG, at + 24);
    }

    static long id(final MemorySegment m, final long at) {
        return m.get(LONG, at + 32);
    }

    static long call(final MemorySegment m, final long at) {
        return m.get(LONG, at + 40);
    }
}
