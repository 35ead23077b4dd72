package tutti.runtime.wire;

import tutti.runtime.match.Arrival;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Serial;

/** A message of another node whose data is still there. */
final class Offered extends Arrival {
    private final Peer from;
    private final long id;

    Offered(final Peer from, final long id) {
        this.from = from;
        this.id = id;
    }

    @Override
    protected void begin(final Serial at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        final long wanted = receive.matched(this);
        if (wanted == 0) {
            from.submit(new Grant(0, id, 0));
            receive.complete(at, receive.verdict());
        } else {
            from.submit(new Grant(from.incoming.put(new Incoming(receive, wanted)), id, wanted));
        }
    }

    @Override
    protected Arrival keep(final Mailbox at) {
        return this;
    }
}
