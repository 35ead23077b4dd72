package tutti.runtime.match;

import java.lang.foreign.MemorySegment;
import tutti.runtime.serial.SerialExecutor;

/** A message whose data is in a {@link PairQueue}. There is one per mailbox, reused for each message. */
final class QueuedMessage extends IncomingMessage {
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;

    void at(final MemorySegment data, final long first) {
        memory = data;
        offset = first;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.receiveAll(memory, offset, this);
        receive.complete(at, receive.truncationError());
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return at.copy(this, memory, offset, null);
    }
}
