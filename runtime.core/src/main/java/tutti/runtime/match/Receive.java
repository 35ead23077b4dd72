package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.transport.BulkAccess;

/** A receive: matching criteria, target memory and result. */
public final class Receive extends MatchEntry {
    private long call;
    private long otherCall;
    private boolean invalid;
    private boolean ofLoss;
    private long callOfMessage;

    /** The caller's memory; null while the object is idle. */
    private @Nullable MemorySegment target;
    private long offset;
    /** Unpacks the data into memory with gaps; null where the target has none. */
    private @Nullable DataLayout layout;
    private long capacity;
    private int fromSource;
    private long withTag;
    private long length;
    private boolean cancelled;
    private @Nullable IncomingMessage matchedMessage;

    /** Returns a receive that discards the data of its message and notifies nobody. */
    static Receive discarding() {
        final Receive receive = new Receive();
        receive.into(MemorySegment.NULL, 0, 0);
        receive.arm(CompletionHandler.NONE, null, 0);
        return receive;
    }

    /** Sets the matching criteria; {@link #ANY} as source or tag matches all. */
    public void want(final long inContext, final int wantSource, final long wantTag) {
        context = inContext;
        source = wantSource;
        tag = wantTag;
    }

    /** Returns the context of the messages that it matches. */
    public long context() {
        return context;
    }

    /** Returns the source of the messages that it matches. */
    public int source() {
        return source;
    }

    /** Returns the tag of the messages that it matches. */
    public long tag() {
        return tag;
    }

    /** Sets the message to receive: one that a matched {@link Probe} took. */
    public void want(final IncomingMessage taken) {
        matchedMessage = taken;
    }

    /** Sets the target: {@code bytes} bytes of {@code memory} from offset {@code from}. */
    public void into(final MemorySegment memory, final long from, final long bytes) {
        target = memory;
        offset = from;
        layout = null;
        capacity = bytes;
        length = 0;
        otherCall = 0;
        invalid = false;
        ofLoss = false;
        cancelled = false;
    }

    /** Sets the target: {@code bytes} packed bytes that are unpacked in pieces. */
    public void into(final DataLayout of, final long bytes) {
        into(MemorySegment.NULL, 0, bytes);
        layout = of;
    }

    /** Returns whether the data is unpacked in pieces. */
    public boolean hasLayout() {
        return layout != null;
    }

    /** Sets the collective call that the receive belongs to; 0, the initial value, for none. */
    public void ofCall(final long which) {
        call = which;
    }

    /** Returns whether the receive belongs to a numbered collective call. */
    boolean isOfCall() {
        return call != 0;
    }

    /** Returns the call of the message's sender if it is not the receiver's call; else 0. */
    public long otherCall() {
        return otherCall;
    }

    /** Returns what the sender has set by {@link IncomingMessage#ofCall}; of an earlier message where none was received. */
    public long callOfMessage() {
        return callOfMessage;
    }

    /** Returns whether the data is invalid because the sender's part in the call failed. */
    public boolean isInvalid() {
        return invalid;
    }

    /** Returns whether the data is invalid because a rank is lost that the sender needed. */
    public boolean isInvalidByLoss() {
        return ofLoss;
    }

    private boolean isOther(final long callOfMessage) {
        final long other = callOfMessage & ~IncomingMessage.FLAGS;
        return call != 0 && other != 0 && other != call;
    }

    /** Returns whether a message is from a rank that is in another call instead of this one. */
    boolean mismatches(final IncomingMessage message) {
        return isOther(message.call) && context == message.context
            && tag >>> Integer.SIZE == message.tag >>> Integer.SIZE;
    }

    /** Records that a message of another call arrived instead. */
    void recordMismatch(final IncomingMessage message) {
        otherCall = message.call & ~IncomingMessage.FLAGS;
        fromSource = message.source;
    }

    /** Returns whether a notice is about the call and the sender of this receive. */
    boolean isAbout(final IncomingMessage notice) {
        return context == notice.context && source == notice.source && IncomingMessage.noticeTag(tag) == notice.tag;
    }

    /** Records that the sender has failed in the call before it sent anything. */
    void recordFailureOfSender(final IncomingMessage notice) {
        ofLoss = (notice.call & IncomingMessage.LOSS) != 0;
        fromSource = source;
        withTag = tag;
        invalid = true;
    }

    /** Records the envelope of the matched message. Returns how many of its bytes fit in the buffer. */
    public long matched(final IncomingMessage message) {
        fromSource = message.source;
        withTag = message.tag;
        otherCall = isOther(message.call) ? message.call & ~IncomingMessage.FLAGS : 0;
        invalid = message.call < 0;
        ofLoss = invalid && (message.call & IncomingMessage.LOSS) != 0;
        callOfMessage = message.call;
        length = message.bytes;
        return Math.min(length, capacity);
    }

    /** Receives a whole message from the memory that holds it. */
    public void receiveAll(final MemorySegment data, final long from, final IncomingMessage message) {
        final long fits = matched(message);
        if (fits > 0) {
            copySegment(data, from, 0, fits);
        }
    }

    /** Copies a segment of the data to its position in the buffer. */
    public void copySegment(final MemorySegment data, final long from, final long at, final long bytes) {
        final DataLayout gaps = layout;
        if (gaps == null) {
            MemorySegment.copy(data, from, target, offset + at, bytes);
        } else {
            gaps.unpack(data, from, at, bytes);
        }
    }

    /** Reads a part of the data to its position in the buffer, which {@linkplain #hasLayout has no gaps}, from the memory of the sender. */
    public void read(final BulkAccess.PeerMemory memory, final long at, final long bytes, final BulkAccess.Completion end) {
        memory.get(at, Objects.requireNonNull(target, "a pending receive"), offset + at, bytes, end);
    }

    /** Returns whether the data goes to memory that is not on the heap, and has no gaps. */
    public boolean isNative() {
        return layout == null && Objects.requireNonNull(target, "a pending receive").isNative();
    }

    /** Lets another process write a part of the data to its position in the buffer, which {@linkplain #isNative is not on the heap}. */
    public BulkAccess.ExposedMemory expose(final BulkAccess to, final long at, final long bytes) {
        return to.expose(Objects.requireNonNull(target, "a pending receive").asSlice(offset + at, bytes));
    }

    /** Returns whether a message with data was matched, which may still be on its way; for another thread while the receive is pending. */
    public boolean isMatched() {
        return length > 0;
    }

    /** Returns the truncation error if the message is longer than the buffer, or null. */
    public @Nullable MpiFailure truncationError() {
        // Cause: the message is longer than the buffer of the receive. Remedy: receive at least what is sent, or probe for the length.
        return length <= capacity ? null : new MpiFailure(ErrorClass.TRUNCATE, "message truncated: bytes=" + length + ", capacity=" + capacity
            + ", source=" + fromSource + ", tag=" + withTag);
    }

    void cancelled() {
        cancelled = true;
    }

    /** Returns the source rank of the message. */
    public int fromSource() {
        return fromSource;
    }

    /** Returns the tag of the message. */
    public long withTag() {
        return withTag;
    }

    /** Returns how many bytes were received into the buffer. */
    public long received() {
        return Math.min(length, capacity);
    }

    /** Returns whether the receive was cancelled before a message matched. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Drops the reference to the caller's memory, so that an idle object pins nothing. */
    public void release() {
        target = null;
        layout = null;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        final IncomingMessage message = matchedMessage;
        if (message == null) {
            ((Mailbox) at).post(this);
        } else {
            matchedMessage = null;
            ((Mailbox) at).deliver(message, this);
        }
    }
}
