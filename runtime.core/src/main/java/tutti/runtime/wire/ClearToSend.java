package tutti.runtime.wire;

import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/** Work item that sends a CTS frame: it tells the sending node where and how much of a message's data to send. */
final class ClearToSend extends WorkItem {
    private final RendezvousMessage message;
    private int slot;
    private long id;
    private long wanted;

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
