package tutti.runtime.wire;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.BulkAccess;

/**
 * The read of a message's data from the memory of the node that announced it. Where it pays, the other node writes the second half meanwhile, see
 * {@link TransferChoice}. When a part fails, the data is asked for in frames.
 *
 * <p><b>Threads.</b> As a {@link BulkTransfer}. The thread that reads the link tells that the other node has written its half.
 */
final class BulkRead extends BulkTransfer {
    /** Positions at which a message is divided: lines of a cache, so that both nodes write whole ones. */
    private static final long LINE = 64;

    private final RendezvousMessage message;
    private final RendezvousReceive data;
    private long wanted;
    private boolean isChosen;
    private boolean isOver;
    /** Parts of the data that are not there yet: this node's, and the other one's. */
    private final AtomicInteger parts = new AtomicInteger();
    private @Nullable IOException readFailure;
    private volatile boolean isWriteFailed;
    /** The half that the other node writes; null when it writes none. */
    private BulkAccess.@Nullable ExposedMemory exposed;

    BulkRead(final PeerNode from, final RendezvousMessage message, final RendezvousReceive data) {
        super(from);
        this.message = message;
        this.data = data;
    }

    /** Sets how much to read, and begins. Any thread. */
    void begin(final long bytes) {
        wanted = bytes;
        part(0, bytes);
        parts.set(1);
        isChosen = false;
        isOver = false;
        isWriteFailed = false;
        node.submit(this);
    }

    @Override
    protected void onFailure(final MpiFailure why) {
        data.fail(why);
    }

    @Override
    boolean advance(final BulkAccess by) {
        if (!isChosen) {
            isChosen = true;
            final TransferChoice.Way way = choose(by);
            if (way == TransferChoice.Way.FRAMES) {
                message.requestData(wanted);
                return false;
            }
            if (way == TransferChoice.Way.BOTH) {
                share(by);
                return true; // the request is sent before this thread copies
            }
        }
        if (parts.get() == 0) {
            finish();
            return false;
        }
        return super.advance(by);
    }

    /** Chooses how the data comes: on a busy machine by this node's read, since one copy is less work than two, and keeps one thread busy. */
    private TransferChoice.Way choose(final BulkAccess by) {
        if (!by.isCopyByCaller() || !CoreOccupancy.maySpin()) {
            return TransferChoice.Way.READ;
        }
        final TransferChoice.Way way = node.choice.next(wanted, data.isNative());
        data.measure(way);
        return way;
    }

    /** Asks the other node to write the second half; this one reads all where that is impossible. */
    private void share(final BulkAccess by) {
        final long half = wanted / 2 / LINE * LINE;
        final BulkAccess.ExposedMemory second;
        try {
            second = data.expose(by, half, wanted - half);
        } catch (final RuntimeException e) {
            // the transport has no room for another memory
            return;
        }
        exposed = second;
        part(0, half);
        parts.set(2);
        message.requestWrite(node.written.put(this), half, wanted - half, second.key());
    }

    @Override
    void access(final BulkAccess.PeerMemory of, final long at, final long bytes) {
        data.read(of, at, bytes, this);
    }

    @Override
    void ended(final @Nullable IOException why) {
        readFailure = why;
        if (parts.decrementAndGet() == 0) {
            finish();
        }
    }

    /** Takes note that the other node has written its half, or has failed to. For the thread that reads the link. */
    void written(final boolean isDone) {
        isWriteFailed = !isDone;
        if (parts.decrementAndGet() == 0) {
            node.submit(this);
        }
    }

    private void finish() {
        isOver = true;
        conceal();
        if (readFailure == null && !isWriteFailed) {
            data.complete();
            message.answer(0, Frame.READ);
        } else {
            readFailure = null;
            message.requestData(wanted);
        }
    }

    private void conceal() {
        final BulkAccess.ExposedMemory second = exposed;
        if (second != null) {
            exposed = null;
            second.close();
        }
    }

    @Override
    void fail(final MpiFailure why) {
        super.fail(why);
        conceal();
        if (!isOver) {
            isOver = true;
            data.fail(why);
        }
    }
}
