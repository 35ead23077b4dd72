package tutti.runtime.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;

/**
 * The progress of one segment of a rank's calls on one communicator, and short data that it shares: a line of eight words for each slot, so that a
 * rank that awaits a post and reads the data waits for one cache line.
 *
 * <pre>
 *  word 0   the mark: number of the call, posts so far, state
 *  word 1   signature of the call
 *  word 2   number of posts of the segment
 *  word 3   the reservation: number of the call, bytes of shared memory, state
 *  word 4   signature of the call of the reservation
 *  word 5…  the shared memory, if it fits here
 *
 *  63                      21 20          1 0        63                      14 13          1 0
 *  +-------------------------+-------------+---+      +-------------------------+-------------+---+
 *  | number of the call      | posts so far| s |      | number of the call      | bytes       | s |   s: the data is invalid
 *  +-------------------------+-------------+---+      +-------------------------+-------------+---+
 * </pre>
 *
 * <p>Marks only grow, so one comparison tells whether a post was made. They are compared with wrap-around. A mark without posts that says that data
 * is invalid is that of a call that is about to begin: words 1 and 2 are not valid yet.
 *
 * <p>Longer shared memory has a block for each slot besides. The owner reserves the memory of a slot when all its {@code readers} have ended the call
 * for which it was reserved before.
 *
 * <p><b>Threads.</b> The owner of the rank's mailbox writes, any thread reads. Storing a mark releases what was written before; reading it acquires
 * that. Whether the memory of a slot is free may be looked up by any thread.
 */
public final class SegmentSlots {
    /** Leaves room for the posts of a segment, {@link tutti.coll.plan.PlanRecorder#MAX_POSTS} at most, and the state. */
    static final int SHIFT = 21;
    private static final long POST = 2;
    private static final long INVALID = 1;
    /** Leaves room for the bytes of shared memory, {@link tutti.coll.advanced.AdvancedPlan#MAX_SHARED} at most, and the state. */
    private static final int RESERVATION_SHIFT = 14;

    private static final long LINE = 64;
    /** Offsets of the words in a line. */
    private static final long CALL = 8;
    private static final long POSTS = 16;
    private static final long RESERVATION = 24;
    private static final long RESERVED_CALL = 32;
    private static final long DATA = 40;
    /** The longest shared memory that fits in a line, in bytes. */
    private static final long MAX_INLINE = LINE - DATA;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final RankSlots[] NONE = {};

    private final int count;
    /** Native memory, as arrays of the heap do not begin where cache lines do. */
    private final MemorySegment lines;
    /** The shared memory of each slot within its line, and blocks of longer shared memory with their types; null until they are used. */
    private final MemorySegment[] inline;
    private final MemorySegment[] blocks;
    private final @Nullable Datatype[] blockTypes;
    /** The ranks that may still read the shared memory of each slot. */
    private final RankSlots[][] readers;

    SegmentSlots(final int count) {
        this.count = count;
        this.lines = Arena.ofAuto().allocate(count * LINE, LINE).fill((byte) -1);
        this.inline = new MemorySegment[count];
        this.blocks = new MemorySegment[count];
        this.blockTypes = new Datatype[count];
        this.readers = new RankSlots[count][];
        Arrays.fill(readers, NONE);
    }

    /** Returns the mark of a call after {@code posts} posts. */
    public static long mark(final long number, final int posts) {
        return number << SHIFT | posts * POST;
    }

    /** Returns whether two marks are of one call. */
    public static boolean sameCall(final long one, final long other) {
        return (one ^ other) >>> SHIFT == 0;
    }

    /** Returns whether the mark says that the data is invalid. */
    public static boolean isInvalid(final long mark) {
        return (mark & INVALID) != 0;
    }

    /** Returns whether the call of the mark is about to begin. */
    public static boolean isBeginning(final long mark) {
        return (mark & (1L << SHIFT) - 1) == INVALID;
    }

    private int slot(final long number) {
        return (int) number & count - 1;
    }

    private long line(final long number) {
        return slot(number) * LINE;
    }

    private long get(final long offset) {
        return (long) WORD.get(lines, offset);
    }

    private void set(final long offset, final long word) {
        WORD.set(lines, offset, word);
    }

    /** Begins a call with that signature, in which the segment makes {@code posts} posts. */
    public void begin(final long number, final long call, final int posts) {
        begin(number, call, posts, mark(number, 0));
    }

    /** Begins a call as {@link #begin(long, long, int)} does, with all posts made and data marked as invalid. */
    public void beginInvalid(final long number, final long call, final int posts) {
        begin(number, call, posts, mark(number, posts) | INVALID);
    }

    private void begin(final long number, final long call, final int posts, final long mark) {
        final long line = line(number);
        WORD.setRelease(lines, line, mark(number, 0) | INVALID);
        WORD.setRelease(lines, line + CALL, call);
        WORD.setRelease(lines, line + POSTS, (long) posts);
        WORD.setRelease(lines, line, mark);
    }

    /** Makes the next post of a call. */
    public void post(final long number, final boolean invalid) {
        final long line = line(number);
        if (invalid) {
            invalidate(number);
        }
        WORD.setRelease(lines, line, get(line) + POST | (invalid ? INVALID : 0));
    }

    /** Makes all posts of a call, with data marked as invalid. */
    public void abandon(final long number) {
        final long line = line(number);
        invalidate(number);
        WORD.setRelease(lines, line, mark(number, (int) get(line + POSTS)) | INVALID);
    }

    /** Returns the mark of a call's slot. */
    public long mark(final long number) {
        return (long) WORD.getAcquire(lines, line(number));
    }

    /** Returns the signature of the call of a slot. It is that of the call whose mark was read before if a mark that is read afterwards is too. */
    public long call(final long number) {
        return (long) WORD.getAcquire(lines, line(number) + CALL);
    }

    /** Returns the number of posts of the segment, under the same condition. */
    public long posts(final long number) {
        return (long) WORD.getAcquire(lines, line(number) + POSTS);
    }

    /** Returns whether the shared memory of a call's slot is reserved for that call. */
    public boolean isReserved(final long number) {
        return reservation(number) >> RESERVATION_SHIFT == number;
    }

    /** Returns the signature of the call that the shared memory is reserved for. */
    public long reservedCall(final long number) {
        return get(line(number) + RESERVED_CALL);
    }

    /** Returns whether the data in the shared memory that is reserved for a call is invalid, since its owner has failed. */
    public boolean hasInvalidData(final long number) {
        return (reservation(number) & INVALID) != 0;
    }

    /** Returns the length of the shared memory that is reserved for a call. */
    public long sharedBytes(final long number) {
        return (reservation(number) & (1L << RESERVATION_SHIFT) - 1) >> 1;
    }

    /** Returns the shared memory that is reserved for a call. */
    public MemorySegment sharedMemory(final long number) {
        return (sharedBytes(number) <= MAX_INLINE ? inline : blocks)[slot(number)];
    }

    private long reservation(final long number) {
        return get(line(number) + RESERVATION);
    }

    private void invalidate(final long number) {
        if (isReserved(number)) {
            set(line(number) + RESERVATION, reservation(number) | INVALID);
        }
    }

    /** Returns whether nobody may read any more what an earlier call has left in the shared memory of a call's slot. For any thread. */
    public boolean isFree(final long number) {
        final long before = reservation(number) >> RESERVATION_SHIFT;
        for (final RankSlots reader : readers[slot(number)]) {
            if (!reader.hasEndedOrIsLost(before)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Has a watch woken when one of the ranks that may still read the shared memory of a call's slot has ended its call, or at once if none may.
     * Others may still read it then. The slot must have readers.
     */
    public void watchReaders(final long number, final SlotWatch watch) {
        final long before = reservation(number) >> RESERVATION_SHIFT;
        RankSlots pending = readers[slot(number)][0];
        for (final RankSlots reader : readers[slot(number)]) {
            if (!reader.hasEndedOrIsLost(before)) {
                pending = reader;
            }
        }
        pending.register(before, watch);
        if (pending.hasEndedOrIsLost(before) || pending.hasLeft()) {
            // perhaps before it could see the watch
            pending.wake(before);
        }
    }

    /** Reserves the shared memory of a call's slot, which must be free. Returns the memory. */
    public MemorySegment reserve(final long number, final SharedReservation what) {
        final int slot = slot(number);
        forgetReaders(number);
        if (what.bytes() <= MAX_INLINE) {
            if (inline[slot] == null) {
                inline[slot] = lines.asSlice(line(number) + DATA, MAX_INLINE);
            }
        } else if (blocks[slot] == null || blocks[slot].byteSize() < what.bytes() || blockTypes[slot] != what.type()) {
            blocks[slot] = what.allocate();
            blockTypes[slot] = what.type();
        }
        set(line(number) + RESERVED_CALL, what.call());
        set(line(number) + RESERVATION, number << RESERVATION_SHIFT | what.bytes() << 1);
        readers[slot] = what.readers();
        return sharedMemory(number);
    }

    /** Forgets the readers of a slot, and of the next slots that are free too: so their progress is looked up only once in many calls. */
    private void forgetReaders(final long number) {
        for (long next = number; readers[slot(next)].length > 0 && isFree(next); next++) {
            readers[slot(next)] = NONE;
        }
    }
}
