package tutti.runtime.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.ElementKind;
import tutti.runtime.datatype.Op;
import tutti.runtime.match.DataLayout;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.Link;

/**
 * An access of a rank to a window of a rank on another node. It is complete when its data is sent, where the other node need not answer, else when
 * all answers are there.
 *
 * <p><b>Threads.</b> The rank sets it before it submits it; then it belongs to the owner of the queue, and the fields of answers to the thread that
 * reads the link.
 */
public final class AccessOperation extends AccessItem {
    /** Most runs that one frame accesses for sure; one that is cut counts twice. */
    public static final int MOST_RUNS = 64;
    /** Most bytes of a read after which the lock may end without waiting for the answer: the target reads so few before the next frame. */
    public static final int MOST_READ_AT_ONCE = 16 << 10;
    private static final ErrorClass[] CLASSES = ErrorClass.values();

    /** What an operation does. */
    public enum Action {
        /** Writes data. */
        PUT(true, false),
        /** Reads data. */
        GET(false, true),
        /** Combines data with that of the window. */
        ACCUMULATE(true, false),
        /** Does that, and reads what was there before. */
        FETCH(true, true),
        /** Replaces an element if it is equal to another one, and reads what was there before. */
        SWAP(true, true),
        /** Is answered when all earlier operations of this node have taken effect. */
        FLUSH(false, true),
        /** Locks the memory of a rank for this one. */
        LOCK(false, true),
        /** Locks it together with others. */
        LOCK_SHARED(false, true),
        /** Ends a lock, and is answered as a flush. */
        UNLOCK(false, true),
        /** Ends a lock when all operations are known to have taken effect. */
        UNLOCK_FLUSHED(false, false),
        /** Says that a lock which others wait for has ended. */
        LOCK_ENDED(false, false);

        private final boolean hasData;
        private final boolean isAnswered;

        Action(final boolean hasData, final boolean isAnswered) {
            this.hasData = hasData;
            this.isAnswered = isAnswered;
        }

        boolean isAnswered() {
            return isAnswered;
        }

        boolean isOfMemory() {
            return ordinal() <= SWAP.ordinal();
        }
    }

    private final Action action;
    private final AccessRequest request;
    private final long window;
    private final int target;
    private final int origin;
    private @Nullable Op op;
    private ElementKind kind = ElementKind.BYTE;
    /** The data that is sent; with gaps, where it has a layout. */
    private MemorySegment data = MemorySegment.NULL;
    private long dataAt;
    private @Nullable DataLayout dataLayout;
    private DataRuns.@Nullable Cursor runs;
    private long base;
    /** Bytes of data in a frame are a multiple of this. */
    private int unit = 1;
    private long position;
    private int preparedRuns;
    private boolean isPrepared;
    private MemorySegment packed = MemorySegment.NULL;
    private MemorySegment result = MemorySegment.NULL;
    private long resultAt;
    private @Nullable DataLayout resultLayout;
    private long missing;
    private @Nullable MpiFailure failure;
    private boolean isOver;

    /** Creates an operation on a window, which completes a request. */
    public AccessOperation(final Action action, final AccessRequest request, final long window, final int target, final int origin) {
        super(AccessFrame.FIELDS + DataRuns.BYTES);
        this.action = action;
        this.request = request;
        this.window = window;
        this.target = target;
        this.origin = origin;
    }

    /** Returns the request. */
    public AccessRequest request() {
        return request;
    }

    /**
     * Sets the data that is sent.
     *
     * @param layout packs the data; null where it has no gaps, and is in memory
     */
    public void data(final MemorySegment memory, final long at, final @Nullable DataLayout layout) {
        data = memory;
        dataAt = at;
        dataLayout = layout;
    }

    /**
     * Sets where data goes that is read.
     *
     * @param layout unpacks the data; null where it has no gaps, and goes to memory
     * @param bytes  length of the data
     */
    public void result(final MemorySegment memory, final long at, final @Nullable DataLayout layout, final long bytes) {
        result = memory;
        resultAt = at;
        resultLayout = layout;
        missing = bytes;
    }

    /**
     * Sets which memory of the window it accesses.
     *
     * @param at offset in bytes that is added to those of the runs
     */
    public void memory(final DataRuns of, final long at) {
        runs = of.cursor();
        base = at;
        if (!of.isOneBlock()) {
            reset(AccessFrame.FIELDS + AccessFrame.MAX_RUNS * DataRuns.BYTES);
        }
    }

    /** Sets how elements are combined: the kind of elements of which the memory consists. */
    public void combine(final Op by, final ElementKind elements) {
        op = by;
        kind = elements;
        unit = elements.bytes();
    }

    @Override
    public boolean isAnswered() {
        return action.isAnswered;
    }

    @Override
    public long answerTo() {
        return -1;
    }

    @Override
    public boolean send(final Link to) {
        do {
            if (!isPrepared) {
                prepare(to.maxFrame());
            }
            final long bytes = dataBytes();
            final boolean isPacked = dataLayout != null;
            if (!to.trySend(header(), AccessFrame.PREFIX + AccessFrame.FIELDS + preparedRuns * DataRuns.BYTES, isPacked ? packed : data,
                isPacked ? 0 : dataAt + position, (int) bytes)) {
                return false;
            }
            isPrepared = false;
            position += taken();
        } while (runs != null && !runs.isAtEnd());
        data = MemorySegment.NULL;
        dataLayout = null;
        if (!action.isAnswered) {
            request.complete(null);
        }
        return true;
    }

    /** Returns how many bytes of the window's memory the prepared frame accesses. */
    private long taken() {
        return runs == null ? 0 : runs.taken();
    }

    /** Returns how many bytes of data the prepared frame has: a swap has the new element and the one to compare. */
    private long dataBytes() {
        return !action.hasData || op == Op.NO_OP ? 0 : action == Action.SWAP ? 2L * unit : taken();
    }

    private void prepare(final int maxFrame) {
        final byte[] header = header();
        AccessFrame.write(header, action, op == null ? 0 : op.code(), kind.ordinal(), window, target, origin);
        preparedRuns = 0;
        if (runs != null) {
            final int maxRuns = (header.length - AccessFrame.PREFIX - AccessFrame.FIELDS) / DataRuns.BYTES;
            final long space = action.hasData ? maxFrame - AccessFrame.PREFIX - AccessFrame.FIELDS - (long) maxRuns * DataRuns.BYTES : Long.MAX_VALUE;
            preparedRuns = runs.takeElements(base, header, AccessFrame.PREFIX + AccessFrame.FIELDS, maxRuns, space, unit);
        }
        AccessFrame.writePart(header, preparedRuns, position, taken());
        final DataLayout layout = dataLayout;
        if (layout != null && dataBytes() > 0) {
            if (packed.byteSize() < taken()) {
                packed = Arena.ofAuto().allocate(maxFrame, Long.BYTES);
            }
            layout.pack(position, taken(), packed, 0);
        }
        isPrepared = true;
    }

    @Override
    public boolean answered(final MemorySegment m, final long at, final int bytes) {
        final int code = AccessFrame.errorClass(m, at);
        final int length = bytes - AccessFrame.ANSWER_FIELDS;
        if (code != 0) {
            final byte[] text = m.asSlice(at + AccessFrame.ANSWER_FIELDS, length).toArray(ValueLayout.JAVA_BYTE);
            failure = new MpiFailure(CLASSES[Math.floorMod(code, CLASSES.length)], new String(text, StandardCharsets.UTF_8));
        } else if (length > 0) {
            final long from = AccessFrame.answerPosition(m, at);
            final DataLayout layout = resultLayout;
            if (layout == null) {
                MemorySegment.copy(m, at + AccessFrame.ANSWER_FIELDS, result, resultAt + from, length);
            } else {
                layout.unpack(m, at + AccessFrame.ANSWER_FIELDS, from, length);
            }
        }
        missing -= AccessFrame.answerBytes(m, at);
        if (missing > 0) {
            return false;
        }
        end(failure);
        return true;
    }

    @Override
    public void fail(final MpiFailure why) {
        end(why);
    }

    private void end(final @Nullable MpiFailure why) {
        if (isOver) {
            return; // it waited for answers while it was sent
        }
        isOver = true;
        result = MemorySegment.NULL;
        resultLayout = null;
        data = MemorySegment.NULL;
        dataLayout = null;
        request.complete(why);
    }
}
