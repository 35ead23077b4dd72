package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/** A receive: what it wants, where the data goes, and what came. */
public final class Receive extends MessageOperation {
    /** Any source, any tag. */
    public static final int ANY = -1;

    int context;
    int source;
    long tag;
    Receive older;
    Receive newer;
    boolean posted;
    private long call;
    private long otherCall;
    private boolean spoiled;

    private MemorySegment target;
    private long offset;
    private long capacity;
    private int fromSource;
    private long withTag;
    private long length;
    private boolean cancelled;
    private IncomingMessage given;

    /** Says what is wanted; {@link #ANY} as source or tag takes all. */
    public void want(final int inContext, final int wantSource, final long wantTag) {
        context = inContext;
        source = wantSource;
        tag = wantTag;
    }

    /** Says which message is wanted: one that a {@link Probe} took. */
    public void want(final IncomingMessage taken) {
        given = taken;
    }

    /** Says where the data goes: {@code bytes} bytes of {@code memory} from {@code from}. */
    public void into(final MemorySegment memory, final long from, final long bytes) {
        target = memory;
        offset = from;
        capacity = bytes;
        length = 0;
        otherCall = 0;
        spoiled = false;
        cancelled = false;
    }

    /** Says which collective call it belongs to; 0, as at first, for none. */
    public void ofCall(final long which) {
        call = which;
    }

    /** Whether it belongs to a collective call that was said. */
    boolean isOfCall() {
        return call != 0;
    }

    /** The call that the sender of the message is in, when it is another than the receiver's; else 0. */
    public long otherCall() {
        return otherCall;
    }

    /** Whether the data of the message means nothing, because its sender's part in the call failed. */
    public boolean isSpoiled() {
        return spoiled;
    }

    private boolean isOther(final long callOfMessage) {
        final long other = callOfMessage & ~IncomingMessage.SPOILED;
        return call != 0 && other != 0 && other != call;
    }

    /** Whether a message comes from a rank that is in another call where it should be in this one. */
    boolean disagrees(final IncomingMessage message) {
        return isOther(message.call) && context == message.context
            && tag >>> Integer.SIZE == message.tag >>> Integer.SIZE;
    }

    /** Notes that a message of another call came instead. */
    void disagreed(final IncomingMessage message) {
        otherCall = message.call & ~IncomingMessage.SPOILED;
        fromSource = message.source;
    }

    /** Notes what came. Returns how many bytes of it there is room for. */
    public long matched(final IncomingMessage message) {
        fromSource = message.source;
        withTag = message.tag;
        otherCall = isOther(message.call) ? message.call & ~IncomingMessage.SPOILED : 0;
        spoiled = message.call < 0;
        length = message.bytes;
        return Math.min(length, capacity);
    }

    /** Takes the whole of a message from where it lies. */
    public void take(final MemorySegment data, final long from, final IncomingMessage message) {
        final long room = matched(message);
        if (room > 0) {
            MemorySegment.copy(data, from, target, offset, room);
        }
    }

    /** Puts a piece of the data in its place. */
    public void piece(final MemorySegment data, final long from, final long at, final long bytes) {
        MemorySegment.copy(data, from, target, offset + at, bytes);
    }

    /** Null, or that the message was longer than the buffer. */
    public MpiFailure verdict() {
        return length <= capacity ? null : new MpiFailure(ErrorClass.TRUNCATE, "message truncated: bytes=" + length + ", room=" + capacity
            + ", source=" + fromSource + ", tag=" + withTag);
    }

    void cancelled() {
        cancelled = true;
    }

    /** Where it came from. */
    public int fromSource() {
        return fromSource;
    }

    /** With which tag. */
    public long withTag() {
        return withTag;
    }

    /** How many bytes arrived in the buffer. */
    public long received() {
        return Math.min(length, capacity);
    }

    /** Whether it was cancelled before a message came. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Forgets the caller's memory, so that an idle object pins nothing. */
    public void release() {
        target = null;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        final IncomingMessage message = given;
        if (message == null) {
            ((Mailbox) at).post(this);
        } else {
            given = null;
            ((Mailbox) at).deliver(message, this);
        }
    }
}
