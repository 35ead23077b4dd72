package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import tutti.daemon.protocol.Protocol;

/** Stream of a call whose bytes this end reads and sends, on a thread of its own, as the other end grants credit for them. */
final class OutgoingStream {
    private final Conversation conversation;
    private final int id;
    private final InputStream from;
    private int credit;
    private boolean isStarted;
    private boolean isStopped;

    /**
     * Creates a stream.
     *
     * @param conversation sends the bytes
     * @param id           number of the call at this end
     */
    OutgoingStream(final Conversation conversation, final int id, final InputStream from) {
        this.conversation = conversation;
        this.id = id;
        this.from = from;
    }

    /** Adds credit; the first one starts the thread. */
    synchronized void grant(final int bytes) {
        credit = (int) Math.min(IncomingStream.WINDOW, (long) credit + bytes);
        notifyAll();
        if (!isStarted && !isStopped) {
            isStarted = true;
            Thread.ofVirtual().name("tutti-stream").inheritInheritableThreadLocals(false).start(this::send);
        }
    }

    /** Ends the sending: nobody wants the bytes. */
    void stop() {
        final boolean isRead;
        synchronized (this) {
            isStopped = true;
            isRead = isStarted;
            notifyAll();
        }
        if (!isRead) {
            close();
        }
    }

    private void send() {
        try {
            for (int limit = credit(); limit > 0; limit = credit()) {
                final byte[] piece = new byte[limit];
                final int bytes = from.read(piece);
                if (bytes < 0) {
                    conversation.sendEnd(id, Conversation.END, "");
                    return;
                }
                synchronized (this) {
                    credit -= bytes;
                }
                conversation.send(id, bytes == limit ? piece : Arrays.copyOf(piece, bytes));
            }
        } catch (final IOException | RuntimeException e) {
            conversation.sendEnd(id, Conversation.BROKEN, Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            conversation.sendEnd(id, Conversation.BROKEN, "interrupted");
        } finally {
            close();
        }
    }

    /** Waits for credit; returns the number of bytes to read, 0 when the sending has ended. */
    private synchronized int credit() throws InterruptedException {
        while (credit == 0 && !isStopped) {
            wait();
        }
        return isStopped ? 0 : Math.min(Protocol.CHUNK, credit);
    }

    private void close() {
        try {
            from.close();
        } catch (final IOException e) {
            // all that is wanted was read
        }
    }
}
