package tutti.runtime.wire;

import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.SerialExecutor;

/**
 * A message of another node announced by an RTS; its data is still on that node.
 *
 * <p><b>Threads.</b> It is used again for another message when all data has arrived. Then the mailbox and the node that it came from are done with
 * it, since data follows the CTS.
 */
final class RendezvousMessage extends IncomingMessage {
    private final PeerNode from;
    private final RendezvousReceive data = new RendezvousReceive(this);
    private final ClearToSend cts = new ClearToSend();
    private long id;
    /** The next message that can be used again; for the thread that reads the link. */
    RendezvousMessage nextFree;

    RendezvousMessage(final PeerNode from) {
        this.from = from;
    }

    /** Sets the number of the message on its node. */
    void announced(final long number) {
        id = number;
    }

    @Override
    protected void begin(final SerialExecutor at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        final long wanted = receive.matched(this);
        if (wanted == 0) {
            cts.set(0, id, 0);
            from.submit(cts);
            receive.complete(at, receive.truncationError());
        } else {
            data.expect(receive, wanted);
            cts.set(from.incoming.put(data), id, wanted);
            from.submit(cts);
        }
    }

    @Override
    protected IncomingMessage asUnexpected(final Mailbox at) {
        return this;
    }
}
