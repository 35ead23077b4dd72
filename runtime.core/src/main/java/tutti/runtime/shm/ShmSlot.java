package tutti.runtime.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import tutti.coll.Buffer;
import tutti.coll.plan.PlanRecorder;

/**
 * The progress and the buffers of one segment of an execution, exposed to the other ranks of the node. It is reused by every call that the
 * execution serves. One thread at a time writes, any number read.
 *
 * <p>The mark combines call number, posts and state in one number that only grows, so one comparison tells whether a post was made:
 * <pre>
 *  63                      21 20          1 0
 *  +-------------------------+-------------+---+
 *  | number of the call      | posts so far| s |   s: the data is invalid
 *  +-------------------------+-------------+---+
 * </pre>
 * Numbers are compared with wrap-around. Storing the mark releases what was written before; reading it acquires that. A slot that nobody reads
 * costs its owner no more than a store to its own cache line, and the line moves once for each post that is awaited.
 */
public final class ShmSlot extends ShmSlotPadding {
    /** Leaves room for the posts of a segment, {@link PlanRecorder#MAX_POSTS} at most, and the state. */
    static final int SHIFT = 21;
    private static final long POST = 2;
    private static final long INVALID = 1;
    private static final VarHandle MARK;

    static {
        try {
            MARK = MethodHandles.lookup().findVarHandle(ShmSlot.class, "mark", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PlanSegment segment;
    private final long call;
    private final ShmSlot[] siblings;
    private long mark;
    private MemorySegment send;
    private MemorySegment recv;
    private MemorySegment scratch;

    /**
     * Creates a slot for a segment that has not begun.
     *
     * @param call signature of the call, equal on all ranks; 0 when calls are not compared
     * @param all  the slots of all segments of the execution on this communicator, by index
     */
    public ShmSlot(final PlanSegment part, final long call, final ShmSlot[] all) {
        this.segment = part;
        this.call = call;
        this.siblings = all;
        this.mark = -1;
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

    /** Begins a call. Called by the owner, like all methods that write. */
    public void begin(final long number, final MemorySegment sendMemory, final MemorySegment recvMemory, final MemorySegment scratchMemory) {
        send = sendMemory;
        recv = recvMemory;
        scratch = scratchMemory;
        MARK.setRelease(this, mark(number, 0));
    }

    /** Makes the next post. */
    public void post(final boolean invalid) {
        MARK.setRelease(this, mark + POST | (invalid ? INVALID : 0));
    }

    /** Makes all posts, with data marked as invalid. */
    public void abandon() {
        MARK.setRelease(this, (mark >> SHIFT << SHIFT) + segment.posts() * POST | INVALID);
    }

    /** Drops the references to the memory; later reads find none. */
    public void end() {
        send = null;
        recv = null;
        scratch = null;
    }

    /** Returns the mark. */
    public long mark() {
        return (long) MARK.getAcquire(this);
    }

    /** Returns the signature of the call. */
    public long call() {
        return call;
    }

    /** Returns the segment. */
    public PlanSegment segment() {
        return segment;
    }

    /** Returns the slot of another segment on this communicator; null when there is none with that index. */
    public ShmSlot sibling(final int index) {
        return index == 0 ? this : index < siblings.length ? siblings[index] : null;
    }

    /** Returns the memory of a buffer of the segment; null after the call has ended. */
    public MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
        };
    }
}
