package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.UnexpectedMessage;
import tutti.runtime.serial.SerialExecutor;

/** An eager message whose data is in the link's receive buffer. There is one per link, reused for each message. */
final class EagerMessage extends IncomingMessage {
    private final PeerNode from;
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;

    EagerMessage(final PeerNode from) {
        this.from = from;
    }

    void at(final MemorySegment data, final long first) {
        memory = data;
        offset = first;
    }

    /** Returns a copy for a mailbox that is owned by another thread and will be drained later. */
    UnexpectedMessage copy() {
        final UnexpectedMessage unexpected = new UnexpectedMessage(bytes());
        unexpected.copyOf(this, memory, offset, from);
        return unexpected;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.receiveAll(memory, offset, this);
        from.released(bytes());
        receive.complete(at, receive.truncationError());
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return at.copy(this, memory, offset, from);
    }
}
