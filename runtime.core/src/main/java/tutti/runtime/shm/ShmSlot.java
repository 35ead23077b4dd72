package tutti.runtime.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import tutti.coll.Buffer;

/**
 * What a run shows the other ranks of its node of one part of its schedule: how far it is, and where its buffers are. Used again by every
 * call that the run serves; one thread at a time writes, any number read.
 *
 * <p>The mark says all in one number that only grows, so that one comparison tells whether a post was made:
 * <pre>
 *  63                      21 20          1 0
 *  +-------------------------+-------------+---+
 *  | number of the call      | posts so far| s |   s: the data means nothing
 *  +-------------------------+-------------+---+
 * </pre>
 * Numbers are compared with wrap-around. Storing the mark releases what was written before; reading it acquires that. A window that nobody
 * reads costs its owner no more than storing to its own cache line, and the line moves once for each post that is awaited.
 */
public final class ShmSlot extends ShmSlotPadding {
    /** Posts that a part may have. */
    public static final int MOST_POSTS = (1 << 20) - 1;
    static final int SHIFT = 21;
    private static final long POST = 2;
    private static final long SPOILED = 1;
    private static final VarHandle MARK;

    static {
        try {
            MARK = MethodHandles.lookup().findVarHandle(ShmSlot.class, "mark", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PlanSegment part;
    private final long call;
    private final ShmSlot[] all;
    private long mark;
    private MemorySegment send;
    private MemorySegment recv;
    private MemorySegment scratch;

    /**
     * Of a part that has not begun.
     *
     * @param call which call it belongs to, in a number that is equal on all ranks; 0 when that is not compared
     * @param all  the windows of all parts of the run on this communicator, by index
     */
    public ShmSlot(final PlanSegment part, final long call, final ShmSlot[] all) {
        this.part = part;
        this.call = call;
        this.all = all;
        this.mark = -1;
    }

    /** The mark of a call that made so many posts. */
    public static long mark(final long number, final int posts) {
        return number << SHIFT | posts * POST;
    }

    /** Whether two marks are of one call. */
    public static boolean sameCall(final long one, final long other) {
        return (one ^ other) >>> SHIFT == 0;
    }

    /** Whether the mark is of a run whose data means nothing. */
    public static boolean isSpoiled(final long mark) {
        return (mark & SPOILED) != 0;
    }

    /** Begins a call. For the owner, as all that writes. */
    public void begin(final long number, final MemorySegment itsSend, final MemorySegment itsRecv, final MemorySegment itsScratch) {
        send = itsSend;
        recv = itsRecv;
        scratch = itsScratch;
        MARK.setRelease(this, mark(number, 0));
    }

    /** Makes the next post. */
    public void post(final boolean spoiled) {
        MARK.setRelease(this, mark + POST | (spoiled ? SPOILED : 0));
    }

    /** Makes all posts, of data that means nothing. */
    public void abandon() {
        MARK.setRelease(this, (mark >> SHIFT << SHIFT) + part.posts() * POST | SPOILED);
    }

    /** Forgets the memory: what comes too late finds none. */
    public void end() {
        send = null;
        recv = null;
        scratch = null;
    }

    /** How far it is. */
    public long mark() {
        return (long) MARK.getAcquire(this);
    }

    /** The call that it belongs to. */
    public long call() {
        return call;
    }

    /** Which part it is of. */
    public PlanSegment part() {
        return part;
    }

    /** The window of another part on this communicator; null when there are not so many. */
    public ShmSlot of(final int index) {
        return index == 0 ? this : index < all.length ? all[index] : null;
    }

    /** The memory that a buffer of the part lies in; null when there is none any more. */
    public MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
        };
    }
}
