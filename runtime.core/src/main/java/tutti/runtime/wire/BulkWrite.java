package tutti.runtime.wire;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.match.Send;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.BulkAccess;

/** The write of a part of a message's data to the memory of the node that receives it, which asked for it by a WRITE frame. */
final class BulkWrite extends BulkTransfer implements FreeList.Item<BulkWrite> {
    private @Nullable Send send;
    private long begin;
    private long slot;
    private boolean isDone;
    private @Nullable BulkWrite nextFree;

    BulkWrite(final PeerNode to) {
        super(to);
    }

    /** Sets what a WRITE frame says: the message, which part of it to write, and the number of the receive. */
    void set(final Send of, final long from, final long bytes, final long receive) {
        send = of;
        begin = from;
        slot = receive;
        part(from, from + bytes);
    }

    /** Returns the number of the receive. */
    long slot() {
        return slot;
    }

    /** Returns whether the part was written. */
    boolean isDone() {
        return isDone;
    }

    @Override
    void access(final BulkAccess.PeerMemory of, final long at, final long bytes) {
        final Send from = Objects.requireNonNull(send, "set before");
        if (!node.isAnnounced(from)) {
            throw new IllegalStateException("the other node does not wait for the message any more");
        }
        of.put(at - begin, from.data(), from.offset() + at, bytes, this);
    }

    @Override
    void ended(final @Nullable IOException why) {
        isDone = why == null;
        send = null;
        node.enqueue(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        throw why;
    }

    @Override
    public @Nullable BulkWrite nextFree() {
        return nextFree;
    }

    @Override
    public void setNextFree(final @Nullable BulkWrite next) {
        nextFree = next;
    }
}
