package tutti.runtime.match;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The layout of a queue of short messages from one rank to another rank of its node, in shared memory. The sender copies a message to the queue and
 * goes on; the receiver, which polls its queues while it waits, finds envelope and data in one cache line.
 *
 * <pre>
 *  line 0   of the sender:    number of the next message, number up to which slots are free, number of messages that bypassed the queue
 *  line 1   of the receiver:  number of the next message to read
 *  line 2   of the receiver:  number of messages that bypassed the queue and arrived, whether the queue is open
 *  then a line for each slot, and a block for each slot for data that is too long for the line
 *
 *   0       2       4        8         16    24
 *  +-------+-------+--------+---------+-----+------
 *  | bytes | mark  | source | context | tag | data …        mark: the number of the message + 1, of 16 bits
 *  +-------+-------+--------+---------+-----+------
 * </pre>
 *
 * <p>Messages are numbered, and use the slots in turn. So the mark of an older message is never that of the next one, and nobody has to clear it.
 *
 * <p>A message that is long, synchronous, or finds the queue full or closed, bypasses it: it is submitted to the mailbox, which empties the queue
 * first. Both sides count these messages. While one of them is on its way the sender puts no other in the queue: so messages do not overtake.
 *
 * <p>The memory is not of the heap, whose objects do not begin where cache lines do. For the same reason each side has an object of its own,
 * {@link QueueWriter} and {@link QueueReader}, which a thread of that side allocates: an object next to one that the other side writes would cost
 * half a microsecond a message.
 */
final class PairQueue {
    /** Longest message in a queue, in bytes: longer ones are faster with one copy. */
    static final int MAX_BYTES = 1024;
    /** Number of messages in a queue. */
    static final int SLOTS = 16;

    static final int LINE = 64;
    static final long WRITTEN = 0;
    static final long FREE_UP_TO = 8;
    static final long BYPASSED = 16;
    static final long READ = LINE;
    static final long ARRIVED = 2 * LINE;
    static final long OPEN = ARRIVED + 8;
    /** Offsets in the line of a slot. */
    static final long SOURCE = 4;
    static final long CONTEXT = 8;
    static final long TAG = 16;

    static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private static final int STATE_MARK = 16;
    private static final int STATE_BYTES = (1 << STATE_MARK) - 1;
    private static final long DATA = 24;
    /** The longest data that fits in a line, in bytes. */
    private static final long MAX_INLINE = LINE - DATA;
    private static final long LINES = 3 * LINE;
    private static final long BLOCKS = LINES + SLOTS * LINE;

    private PairQueue() {}

    /** Returns the memory of an empty queue that is not open. It is freed when no end of the queue is in use. */
    static MemorySegment allocate() {
        final MemorySegment memory = Arena.ofAuto().allocate(BLOCKS + SLOTS * MAX_BYTES, LINE);
        WORD.set(memory, FREE_UP_TO, (long) SLOTS);
        return memory;
    }

    /** Returns the offset of the line of a message, which begins with its {@link #state}. */
    static long line(final long number) {
        return LINES + (number & SLOTS - 1) * LINE;
    }

    /** Returns the offset of the data of a message of so many bytes. */
    static long data(final long number, final long bytes) {
        return bytes <= MAX_INLINE ? line(number) + DATA : BLOCKS + (number & SLOTS - 1) * MAX_BYTES;
    }

    /** Returns the word that says that a message of so many bytes is there. */
    static int state(final long number, final long bytes) {
        return mark(number) << STATE_MARK | (int) bytes;
    }

    /** Returns whether a word is the state of a message. */
    static boolean isStateOf(final long number, final int state) {
        return state >>> STATE_MARK == mark(number);
    }

    /** Returns the number of bytes that a state has. */
    static int bytes(final int state) {
        return state & STATE_BYTES;
    }

    private static int mark(final long number) {
        return (int) (number + 1) & STATE_BYTES;
    }
}
