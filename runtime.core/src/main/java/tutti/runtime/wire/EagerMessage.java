package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.UnexpectedMessage;

/** A message whose data lies in the link's memory for the moment. One per link, used again for each. */
final class EagerMessage extends IncomingMessage {
    private final PeerNode from;
    private MemorySegment memory;
    private long offset;

    EagerMessage(final PeerNode from) {
        this.from = from;
    }

    void at(final MemorySegment data, final long first) {
        memory = data;
        offset = first;
    }

    /** A copy for when the mailbox's owner is somebody else, who will look only later. */
    UnexpectedMessage copy() {
        final UnexpectedMessage stored = new UnexpectedMessage((int) bytes());
        stored.copyOf(this, memory, offset, from);
        return stored;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.take(memory, offset, this);
        from.taken(bytes());
        receive.complete(at, receive.verdict());
    }

    @Override
    protected IncomingMessage keep(final Mailbox at) {
        return at.store(this, memory, offset, from);
    }
}
