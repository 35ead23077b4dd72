package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.serial.SerialExecutor;

/** A copy of a message that arrived before a matching receive was posted. */
public final class UnexpectedMessage extends IncomingMessage {
    /** Notified when the memory of a copied message from another node is free, so that credit can be returned to its sender. */
    public interface ReleaseListener {
        /** Reports that {@code bytes} bytes are free again. Called by the owner of the mailbox. */
        void released(long bytes);
    }

    private final byte[] array;
    private final MemorySegment memory;
    private @Nullable ReleaseListener releaseListener;

    /** Creates an empty message with memory for at least {@code bytes} bytes: a power of two. */
    public UnexpectedMessage(final long bytes) {
        array = new byte[1 << UnexpectedMessagePool.sizeClass(bytes)];
        memory = MemorySegment.ofArray(array);
    }

    /** Returns a message with that data whose envelope is yet to be set. */
    public static UnexpectedMessage of(final byte[] data) {
        final UnexpectedMessage message = new UnexpectedMessage(data.length);
        MemorySegment.copy(MemorySegment.ofArray(data), 0, message.memory, 0, data.length);
        return message;
    }

    /** Returns a copy of the data. */
    byte[] data() {
        return Arrays.copyOf(array, (int) bytes);
    }

    int capacity() {
        return array.length;
    }

    /**
     * Copies the envelope and the data of a message.
     *
     * @param from notified when the memory of the copy is free; null for nobody
     */
    public void copyOf(final IncomingMessage message, final MemorySegment data, final long offset, final @Nullable ReleaseListener from) {
        envelope(message.context, message.source, message.tag, message.bytes);
        ofCall(message.call);
        MemorySegment.copy(data, offset, memory, 0, message.bytes);
        releaseListener = from;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        mailbox.charge(this);
        mailbox.arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.receiveAll(memory, 0, this);
        if (releaseListener != null) {
            releaseListener.released(bytes);
            releaseListener = null;
        }
        at.recycle(this);
        receive.complete(at, receive.truncationError());
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return this;
    }
}
