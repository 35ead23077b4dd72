package tutti.runtime.match;

import java.lang.foreign.MemorySegment;

/** A message that was copied because nobody waited for it. */
public final class UnexpectedMessage extends IncomingMessage {
    /** Hears when a stored message from elsewhere was taken, so that its sender may send more. */
    public interface Origin {
        /** So many bytes are free again. Called by the owner of the mailbox. */
        void taken(long bytes);
    }

    private final byte[] array;
    private final MemorySegment memory;
    private Origin origin;

    /** With room for so many bytes. */
    public UnexpectedMessage(final int capacity) {
        array = new byte[capacity];
        memory = MemorySegment.ofArray(array);
    }

    int capacity() {
        return array.length;
    }

    /** Takes envelope and data of a message. */
    public void copyOf(final IncomingMessage message, final MemorySegment data, final long offset, final Origin from) {
        envelope(message.context, message.source, message.tag, message.bytes);
        ofCall(message.call);
        MemorySegment.copy(data, offset, memory, 0, message.bytes);
        origin = from;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        final Mailbox mailbox = (Mailbox) at;
        mailbox.count(this);
        mailbox.arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.take(memory, 0, this);
        if (origin != null) {
            origin.taken(bytes);
            origin = null;
        }
        at.recycle(this);
        receive.complete(at, receive.verdict());
    }

    @Override
    protected IncomingMessage keep(final Mailbox at) {
        return this;
    }
}
