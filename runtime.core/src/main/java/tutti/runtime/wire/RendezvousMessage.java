package tutti.runtime.wire;

import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.SerialExecutor;

/** A message of another node announced by an RTS; its data is still on that node. */
final class RendezvousMessage extends IncomingMessage {
    private final PeerNode from;
    private final long id;

    RendezvousMessage(final PeerNode from, final long id) {
        this.from = from;
        this.id = id;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        final long wanted = receive.matched(this);
        if (wanted == 0) {
            from.submit(new ClearToSend(0, id, 0));
            receive.complete(at, receive.truncationError());
        } else {
            from.submit(new ClearToSend(from.incoming.put(new RendezvousReceive(receive, wanted)), id, wanted));
        }
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return this;
    }
}
