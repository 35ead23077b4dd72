package tutti.runtime.access;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.transport.Link;

/** An item of the queue to another node: an access to windows there, or the answer to one. Belongs to the owner of the queue once it is submitted. */
public abstract class AccessItem extends WorkItem {
    private byte[] header;
    private boolean isBegun;
    /** The item that is queued at once after this one. */
    private @Nullable AccessItem next;

    /** The queue of frames to another node, which are sent in order. */
    public interface Queue {
        /** Queues an item; called by the owner. Items of a node that is gone fail. */
        void enqueue(AccessItem item);
    }

    AccessItem(final int headerBytes) {
        header = new byte[AccessFrame.PREFIX + headerBytes];
    }

    /** Prepares for another use. */
    final void reset(final int headerBytes) {
        if (header.length < AccessFrame.PREFIX + headerBytes) {
            header = new byte[AccessFrame.PREFIX + headerBytes];
        }
        isBegun = false;
    }

    /** Sets the item that is queued at once after this one, so that both are sent together. */
    public final void followedBy(final AccessItem item) {
        next = item;
    }

    @Override
    protected final void run(final SerialExecutor at) {
        final AccessItem follower = next;
        ((Queue) at).enqueue(this);
        if (follower != null) {
            ((Queue) at).enqueue(follower);
        }
    }

    @Override
    protected final void onFailure(final MpiFailure why) {
        final AccessItem follower = next;
        fail(why);
        if (follower != null) {
            follower.fail(why);
        }
    }

    /** Returns whether this is the first attempt to send it; true once. */
    public final boolean begins() {
        final boolean first = !isBegun;
        isBegun = true;
        return first;
    }

    /** Returns where the network writes the first bytes of each frame. */
    public final byte[] header() {
        return header;
    }

    /** Returns whether the other node answers. */
    public abstract boolean isAnswered();

    /** Returns the number of the operation that this is the answer to; -1 when it is none. */
    public abstract long answerTo();

    /** Sends the frames that are left; returns whether the link has accepted all. */
    public abstract boolean send(Link to);

    /**
     * Takes an answer of the other node. Called by the thread that reads the link.
     *
     * @return whether it was the last one
     */
    public abstract boolean answered(MemorySegment m, long at, int bytes);

    /** Ends the item, because the node is gone. */
    public abstract void fail(MpiFailure why);
}
