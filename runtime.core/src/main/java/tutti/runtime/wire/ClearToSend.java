package tutti.runtime.wire;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that sends a CTS or WRITE frame: it tells the sending node where and how much of a message's data to send, or to write. */
final class ClearToSend extends WorkItem {
    private final RendezvousMessage message;
    private int slot;
    private long id;
    private long wanted;
    private long position;
    /** The key of the memory to write to; null in a CTS. */
    private byte @Nullable [] key;

    /** Creates an item that answers the announcement of a message, each time that the message is used. */
    ClearToSend(final RendezvousMessage message) {
        this.message = message;
    }

    RendezvousMessage message() {
        return message;
    }

    /** Sets the content of the frame. */
    void set(final int toSlot, final long ofMessage, final long bytes) {
        slot = toSlot;
        id = ofMessage;
        wanted = bytes;
    }

    /** Makes this a WRITE frame: the data is written from a position on, to the memory with a key. */
    void setPart(final long from, final byte[] ofMemory) {
        position = from;
        key = ofMemory;
    }

    long position() {
        return position;
    }

    byte @Nullable [] key() {
        return key;
    }

    int slot() {
        return slot;
    }

    long id() {
        return id;
    }

    long wanted() {
        return wanted;
    }

    @Override
    protected void run(final SerialExecutor at) {
        ((PeerNode) at).enqueue(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        throw why;
    }
}
