package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.match.Receive;
import tutti.runtime.model.MpiFailure;

/** A matched rendezvous message whose data arrives in segments, written straight to the receiver's memory. For the thread that reads the link. */
final class RendezvousReceive {
    private final Receive receive;
    private final long bytes;
    private long remaining;

    RendezvousReceive(final Receive receive, final long bytes) {
        this.receive = receive;
        this.bytes = bytes;
        this.remaining = bytes;
    }

    /** Returns whether a segment is within the bytes that the CTS asked for. */
    boolean fits(final long position, final long length) {
        return position >= 0 && length > 0 && length <= remaining && position <= bytes - length;
    }

    /** Receives a segment. Returns whether it was the last one. */
    boolean receiveSegment(final MemorySegment memory, final long from, final long position, final long length) {
        receive.copySegment(memory, from, position, length);
        remaining -= length;
        return remaining == 0;
    }

    void complete() {
        receive.complete(null, receive.truncationError());
    }

    void fail(final MpiFailure why) {
        receive.complete(null, why);
    }
}
