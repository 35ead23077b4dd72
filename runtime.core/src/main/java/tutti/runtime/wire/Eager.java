package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.match.Arrival;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Serial;
import tutti.runtime.match.Stored;

/** A message whose data lies in the link's memory for the moment. One per link, used again for each. */
final class Eager extends Arrival {
    private final Peer from;
    private MemorySegment memory;
    private long offset;

    Eager(final Peer from) {
        this.from = from;
    }

    void at(final MemorySegment data, final long first) {
        memory = data;
        offset = first;
    }

    /** A copy for when the mailbox's owner is somebody else, who will look only later. */
    Stored copy() {
        final Stored stored = new Stored((int) bytes());
        stored.copyOf(this, memory, offset, from);
        return stored;
    }

    @Override
    protected void begin(final Serial at) {
        ((Mailbox) at).arrived(this);
    }

    @Override
    protected void deliver(final Mailbox at, final Receive receive) {
        receive.take(memory, offset, this);
        from.taken(bytes());
        receive.complete(at, receive.verdict());
    }

    @Override
    protected Arrival keep(final Mailbox at) {
        return at.store(this, memory, offset, from);
    }
}
