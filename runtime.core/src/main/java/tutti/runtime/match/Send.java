package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.transport.BulkAccess;

/** A send by a rank of this node. The data stays in the sender's memory until the send is complete. */
public final class Send extends IncomingMessage {
    /** Largest message, in bytes, that is copied where no receive matches it, so that its send completes without a receive. */
    public static final int EAGER_LIMIT = 8 * 1024;

    /** The caller's memory; null while the object is idle. */
    private @Nullable MemorySegment data;
    private long offset;
    /** Packs the data, which has gaps; null where it has none. */
    private @Nullable DataLayout layout;
    private boolean synchronous;
    private boolean cancelled;
    private int destination;
    private boolean cleared;
    private int announcement;
    private long slot;
    private long position;
    private long remaining;
    private @Nullable QueueWriter bypassed;
    /** The data as the other node may read it; null where it may not. */
    private BulkAccess.@Nullable ExposedMemory exposed;

    /**
     * Sets the data and the destination.
     *
     * @param memory      holds the data, {@link #bytes()} bytes
     * @param from        offset of the first byte
     * @param toWorldRank the receiver's rank in COMM_WORLD
     * @param mustMatch   whether the send is synchronous: it completes only when a receive has matched it
     */
    public void message(final MemorySegment memory, final long from, final int toWorldRank, final boolean mustMatch) {
        data = memory;
        offset = from;
        layout = null;
        destination = toWorldRank;
        synchronous = mustMatch;
        cancelled = false;
        cleared = false;
        bypassed = null;
    }

    /** Sets the data and the destination of a send to another node that is packed in pieces; else as {@link #message}. */
    public void message(final DataLayout of, final int toWorldRank, final boolean mustMatch) {
        message(MemorySegment.NULL, 0, toWorldRank, mustMatch);
        layout = of;
    }

    /** Returns how the data is packed in pieces; null where {@link #data} holds it. */
    public @Nullable DataLayout layout() {
        return layout;
    }

    /** Records, before the send is submitted to the mailbox of a queue, that it is not in the queue; null for none. */
    public void bypass(final @Nullable QueueWriter queue) {
        bypassed = queue;
        if (queue != null) {
            queue.bypass();
        }
    }

    /** Returns the queue whose messages are older than this one, or null. */
    @Nullable
    QueueWriter bypassed() {
        return bypassed;
    }

    /**
     * Prepares the transfer of the data to another node, in segments.
     *
     * @param toSlot number of the receive on the other node
     * @param length number of bytes that are received; negative if nobody receives it
     */
    public void transfer(final long toSlot, final long length) {
        cleared = true;
        slot = toSlot;
        position = 0;
        remaining = length;
    }

    /** Returns whether the other node has said where to transfer the data. */
    public boolean isCleared() {
        return cleared;
    }

    /** Sets the number by which the other node refers to the message, before a receive has matched it. */
    public void announcedAs(final int number) {
        announcement = number;
    }

    /** Returns the number of {@link #announcedAs}; of an earlier message where this one was not announced. */
    public int announcement() {
        return announcement;
    }

    /**
     * Lets the other node read the data, until {@link #conceal}; returns the key by which it does. Null when it cannot, because the data is on the
     * heap, for example.
     */
    public byte @Nullable [] expose(final BulkAccess to) {
        BulkAccess.ExposedMemory memory = exposed;
        if (memory == null && layout == null && data().isNative()) {
            try {
                memory = to.expose(data().asSlice(offset, bytes));
            } catch (final RuntimeException e) {
                // the transport has no room for another memory
                return null;
            }
            exposed = memory;
        }
        return memory == null ? null : memory.key();
    }

    /** Ends the access of the other node to the data; returns whether it had any. */
    public boolean conceal() {
        final BulkAccess.ExposedMemory memory = exposed;
        if (memory == null) {
            return false;
        }
        exposed = null;
        memory.close();
        return true;
    }

    /** Returns the number of the receive on the other node. */
    public long slot() {
        return slot;
    }

    /** Returns how many bytes were transferred. */
    public long position() {
        return position;
    }

    /** Returns how many bytes are left to transfer. */
    public long remaining() {
        return remaining;
    }

    /** Counts a segment that was transferred. */
    public void transferred(final long length) {
        position += length;
        remaining -= length;
    }

    /** Returns the memory that holds the data. */
    public MemorySegment data() {
        final MemorySegment memory = data;
        if (memory == null) {
            throw new IllegalStateException("send has no data: it was released");
        }
        return memory;
    }

    /** Returns the offset of the first byte of the data. */
    public long offset() {
        return offset;
    }

    /** Returns the receiver's rank in COMM_WORLD. */
    public int destination() {
        return destination;
    }

    /** Returns whether the send is synchronous: it completes only when a receive has matched it. */
    public boolean isSynchronous() {
        return synchronous;
    }

    /** Completes the send without a receive, because its message was removed; the calling thread owns {@code at}. */
    public void cancelled(final SerialExecutor at) {
        cancelled = true;
        complete(at, null);
    }

    /** Returns whether the send was cancelled before the message was received. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Drops the reference to the caller's memory, so that an idle object pins nothing. */
    public void release() {
        data = null;
        layout = null;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((SendTarget) at).handleSend(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.receiveAll(data(), offset, this);
        receive.complete(at, receive.truncationError());
        complete(at, null);
    }

    @Override
    protected void reject(final Mailbox at, final MpiFailure why) {
        complete(at, why);
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        if (synchronous || bytes > EAGER_LIMIT) {
            return this;
        }
        final UnexpectedMessage copy = at.store(this, data(), offset);
        return copy == null ? this : copy;
    }

    @Override
    protected void copied(final Mailbox at) {
        complete(at, null);
    }
}
