package tutti.runtime.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.match.Receive;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.BulkAccess;

/** A matched rendezvous message whose data arrives in segments, written straight to the receiver's memory. For the thread that reads the link. */
final class RendezvousReceive {
    private final RendezvousMessage message;
    /** The receive whose data arrives; null while the object is idle. */
    private @Nullable Receive receive;
    private long bytes;
    private long remaining;
    /** When the transfer began, by {@link System#nanoTime}, if its time is measured. */
    private long since;
    private boolean isMeasured;
    private TransferChoice.Way way = TransferChoice.Way.FRAMES;

    RendezvousReceive(final RendezvousMessage message) {
        this.message = message;
    }

    /** Prepares for the data of a message that was matched. */
    void expect(final Receive matched, final long wanted) {
        receive = matched;
        bytes = wanted;
        remaining = wanted;
        isMeasured = false;
    }

    /** Measures how long the data takes from now on. The frames after an access that failed count as part of it. */
    void measure(final TransferChoice.Way by) {
        isMeasured = true;
        way = by;
        since = System.nanoTime();
    }

    /** Returns the message. */
    RendezvousMessage message() {
        return message;
    }

    /** Returns whether a segment is within the bytes that the CTS asked for. */
    boolean fits(final long position, final long length) {
        return position >= 0 && length > 0 && length <= remaining && position <= bytes - length;
    }

    /** Receives a segment. Returns whether it was the last one. */
    boolean receiveSegment(final MemorySegment memory, final long from, final long position, final long length) {
        receive().copySegment(memory, from, position, length);
        remaining -= length;
        return remaining == 0;
    }

    /** Reads a part of the data from the memory of the sender. */
    void read(final BulkAccess.PeerMemory memory, final long position, final long length, final BulkAccess.Completion end) {
        receive().read(memory, position, length, end);
    }

    /** Returns whether the other node may write to the memory of the receive. */
    boolean isNative() {
        return receive().isNative();
    }

    /** Lets the other node write a part of the data. */
    BulkAccess.ExposedMemory expose(final BulkAccess to, final long position, final long length) {
        return receive().expose(to, position, length);
    }

    /** Completes the receive when all data is there. */
    void complete() {
        final Receive received = receive();
        receive = null;
        if (isMeasured) {
            message.choice().took(way, bytes, System.nanoTime() - since);
        }
        received.complete(null, received.truncationError());
    }

    void fail(final MpiFailure why) {
        receive().complete(null, why);
    }

    private Receive receive() {
        final Receive pending = receive;
        if (pending == null) {
            throw new IllegalStateException("no data is expected");
        }
        return pending;
    }
}
