package tutti.daemon.channel;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a call whose bytes come from the other end. That end sends no byte before this one reads, and then as many as it has credit for. Read by
 * one thread at a time; closing it tells the other end to send no more.
 */
final class IncomingStream extends PieceStream {
    /** Most bytes that the other end may have sent and nobody has read. */
    static final int WINDOW = 1 << 20;
    private static final int QUARTER = WINDOW / 4;

    private final Conversation conversation;
    private final int id;
    /** Bytes that the other end may still send. */
    private int credit;
    /** Bytes that were read, and for which no credit was granted yet. */
    private int owed = WINDOW;
    /** Bytes of the piece that is read now. Belongs to the reader. */
    private int taken;

    /**
     * Creates a stream.
     *
     * @param conversation tells the other end what is wanted
     * @param id           number of the call at this end
     */
    IncomingStream(final Conversation conversation, final int id) {
        this.conversation = conversation;
        this.id = id;
    }

    /**
     * Adds a received piece.
     *
     * @throws IllegalStateException when it is empty, or the other end has no credit for it
     */
    synchronized void received(final byte[] piece) {
        if (piece.length == 0 || piece.length > credit || hasEnded()) {
            throw new IllegalStateException("bytes of a stream without credit: bytes=" + piece.length + ", credit=" + credit);
        }
        credit -= piece.length;
        add(piece);
    }

    /** Ends the stream before its end; reading it fails from now on. */
    void failed(final String reason) {
        end(new IOException(reason));
    }

    @Override
    byte @Nullable [] next() throws IOException {
        final int granted;
        synchronized (this) {
            checkNotClosed();
            owed += taken;
            taken = 0;
            granted = owed >= QUARTER && !hasEnded() ? owed : 0;
            owed -= granted;
            credit += granted;
        }
        if (granted > 0) {
            conversation.grant(id, granted);
        }
        final byte[] piece = take();
        taken = piece == null ? 0 : piece.length;
        return piece;
    }

    @Override
    public void close() {
        final boolean isUnread;
        synchronized (this) {
            isUnread = isOpen();
            super.close();
        }
        if (isUnread) {
            conversation.stop(id);
        }
    }
}
