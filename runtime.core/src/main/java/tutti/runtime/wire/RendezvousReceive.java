package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Receive;

/** A granted message that comes in pieces, straight to the receiver's memory. For the link's thread. */
final class RendezvousReceive {
    private final Receive receive;
    private final long bytes;
    private long left;

    RendezvousReceive(final Receive receive, final long bytes) {
        this.receive = receive;
        this.bytes = bytes;
        this.left = bytes;
    }

    /** Whether a piece lies within what was granted. */
    boolean fits(final long position, final long length) {
        return position >= 0 && length > 0 && length <= left && position <= bytes - length;
    }

    /** Takes a piece; true with the last. */
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
