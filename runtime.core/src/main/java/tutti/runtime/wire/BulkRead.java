package tutti.runtime.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.transport.BulkAccess;

/**
 * The read of a message's data from the memory of the node that announced it, piece by piece. When a piece fails, the data is asked for in frames.
 *
 * <p><b>Threads.</b> The key is written by the thread that reads the link, before the message is submitted to its mailbox. All else belongs to the
 * owner of the {@link PeerNode}. A piece that ends on another thread is handed to the owner as work.
 */
final class BulkRead extends WorkItem implements BulkAccess.Completion {
    /** Most bytes that are read at once: others have their turn after them. */
    static final long PIECE = 1L << 20;

    private final PeerNode from;
    private final RendezvousMessage message;
    private final RendezvousReceive data;
    /** Holds the key of the memory; grows with the longest one. */
    private MemorySegment key = MemorySegment.NULL;
    private int keyBytes;
    private long position;
    private long wanted;
    private BulkAccess.@Nullable PeerMemory memory;
    /** The thread that begins a piece, while it does. */
    private @Nullable Thread caller;
    private boolean hasEnded;
    private boolean isUnderWay;
    private @Nullable IOException failure;

    BulkRead(final PeerNode from, final RendezvousMessage message, final RendezvousReceive data) {
        this.from = from;
        this.message = message;
        this.data = data;
    }

    /** Sets the key of the message's memory; none where {@code bytes} is 0. */
    void keyAt(final MemorySegment frame, final long at, final int bytes) {
        if (key.byteSize() < bytes) {
            key = MemorySegment.ofArray(new byte[bytes]);
        }
        MemorySegment.copy(frame, at, key, 0, bytes);
        keyBytes = bytes;
    }

    /** Returns whether the message has a key. */
    boolean isPossible() {
        return keyBytes > 0;
    }

    /** Sets how much to read, and begins. Any thread. */
    void begin(final long bytes) {
        wanted = bytes;
        position = 0;
        isUnderWay = false;
        from.submit(this);
    }

    @Override
    protected void run(final SerialExecutor at) {
        from.handleRead(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        data.fail(why);
    }

    /** Reads the next piece, or takes note of the one that has ended. Returns whether there is more to do at once. */
    boolean advance(final BulkAccess by) {
        if (isUnderWay) {
            isUnderWay = false;
            return ended();
        }
        try {
            BulkAccess.PeerMemory of = memory;
            if (of == null) {
                if (by.isCopyByCaller() && !isChosen()) {
                    message.requestData(wanted);
                    return false;
                }
                of = by.open(key, 0, keyBytes);
                memory = of;
            }
            isUnderWay = true;
            hasEnded = false;
            caller = Thread.currentThread();
            data.read(of, position, piece(), this);
            caller = null;
        } catch (final RuntimeException e) {
            // the sender's key is no key, or says less than the message is long
            caller = null;
            failure = new IOException(e);
            hasEnded = true;
        }
        if (!hasEnded) {
            return false;
        }
        isUnderWay = false;
        return ended();
    }

    /** Returns whether to read data that could also come in frames: on a busy machine always, since one copy is less work than two. */
    private boolean isChosen() {
        if (!CoreOccupancy.maySpin()) {
            return true;
        }
        final boolean isRead = from.readChoice.isRead(wanted);
        data.measure(isRead);
        return isRead;
    }

    private long piece() {
        return Math.min(PIECE, wanted - position);
    }

    @Override
    public void completed(final long value, final @Nullable IOException why) {
        failure = why;
        if (caller == Thread.currentThread()) {
            hasEnded = true;
        } else {
            from.submit(this);
        }
    }

    private boolean ended() {
        if (failure == null) {
            position += piece();
            if (position < wanted) {
                return true;
            }
        }
        final BulkAccess.PeerMemory opened = memory;
        if (opened != null) {
            memory = null;
            opened.close();
        }
        if (failure == null) {
            data.complete();
            message.answer(0, Frame.READ);
        } else {
            failure = null;
            message.requestData(wanted);
        }
        return false;
    }

    /** Ends the receive, because the node is gone. */
    void fail(final MpiFailure why) {
        final BulkAccess.PeerMemory opened = memory;
        if (opened != null) {
            memory = null;
            opened.close();
        }
        data.fail(why);
    }
}
