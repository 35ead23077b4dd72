package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Receive;

/** A matched rendezvous message whose data arrives in segments, written straight to the receiver's memory. For the thread that reads the link. */
final class RendezvousReceive {
    private final Receive receive;
    private final long bytes;
    private long left;

    RendezvousReceive(final Receive receive, final long bytes) {
        this.receive = receive;
        this.bytes = bytes;
        this.left = bytes;
    }

    /** Returns whether a segment is within the bytes that the CTS asked for. */
    boolean fits(final long position, final long length) {
        return position >= 0 && length > 0 && length <= left && position <= bytes - length;
    }

    /** Receives a segment. Returns whether it was the last one. */
    boolean piece(final MemorySegment memory, final long from, final long position, final long length) {
        receive.piece(memory, from, position, length);
        left -= length;
        return left == 0;
    }

    void complete() {
        receive.complete(null, receive.verdict());
    }

    void fail(final MpiFailure why) {
        receive.complete(null, why);
    }
}
