package tutti.runtime.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.transport.BulkAccess;

/**
 * The transfer of a part of a message's data from or to the memory of another node, piece by piece.
 *
 * <p><b>Threads.</b> The key is written by the thread that reads the link, before the transfer is submitted. All else belongs to the owner of the
 * {@link PeerNode}. A piece that ends on another thread is handed to the owner as work.
 */
abstract sealed class BulkTransfer extends WorkItem implements BulkAccess.Completion permits BulkRead, BulkWrite, WindowTransfer {
    /** Most bytes that are transferred at once: others have their turn after them. */
    static final long PIECE = 1L << 20;

    final PeerNode node;
    /** Holds the key of the memory; grows with the longest one. */
    private MemorySegment key = MemorySegment.NULL;
    private int keyBytes;
    private long position;
    private long end;
    private BulkAccess.@Nullable PeerMemory memory;
    /** The thread that begins a piece, while it does. */
    private @Nullable Thread caller;
    private boolean hasEnded;
    private boolean isUnderWay;
    private @Nullable IOException failure;

    BulkTransfer(final PeerNode node) {
        this.node = node;
    }

    /** Sets the key of the other node's memory; none where {@code bytes} is 0. */
    void keyAt(final MemorySegment frame, final long at, final int bytes) {
        if (key.byteSize() < bytes) {
            key = MemorySegment.ofArray(new byte[bytes]);
        }
        MemorySegment.copy(frame, at, key, 0, bytes);
        keyBytes = bytes;
    }

    /** Returns whether there is a key. */
    boolean hasKey() {
        return keyBytes > 0;
    }

    /** Sets which part of the message to transfer. */
    void part(final long from, final long to) {
        position = from;
        end = to;
        isUnderWay = false;
    }

    @Override
    protected void run(final SerialExecutor at) {
        node.handleTransfer(this);
    }

    /** Transfers the next piece, or takes note of the one that has ended. Returns whether there is more to do at once. */
    boolean advance(final BulkAccess by) {
        if (isUnderWay) {
            isUnderWay = false;
            return pieceEnded();
        }
        try {
            BulkAccess.PeerMemory of = memory;
            if (of == null) {
                of = by.open(key, 0, keyBytes);
                memory = of;
            }
            isUnderWay = true;
            hasEnded = false;
            caller = Thread.currentThread();
            access(of, position, piece());
            caller = null;
        } catch (final RuntimeException e) {
            // the key is no key, or says less than the part is long
            caller = null;
            failure = new IOException(e);
            hasEnded = true;
        }
        if (!hasEnded) {
            return false;
        }
        isUnderWay = false;
        return pieceEnded();
    }

    private long piece() {
        return Math.min(PIECE, end - position);
    }

    /** Begins to read or write a piece of the message. */
    abstract void access(BulkAccess.PeerMemory of, long at, long bytes);

    @Override
    public void completed(final long value, final @Nullable IOException why) {
        failure = why;
        if (caller == Thread.currentThread()) {
            hasEnded = true;
        } else {
            node.submit(this);
        }
    }

    private boolean pieceEnded() {
        final IOException why = failure;
        if (why == null) {
            position += piece();
            if (position < end) {
                return true;
            }
        }
        failure = null;
        close();
        ended(why);
        return false;
    }

    /** Is told that all is transferred, or why not. */
    abstract void ended(@Nullable IOException why);

    /** Ends the transfer, because the node is gone. */
    void fail(final MpiFailure why) {
        close();
    }

    private void close() {
        final BulkAccess.PeerMemory opened = memory;
        if (opened != null) {
            memory = null;
            opened.close();
        }
    }
}
