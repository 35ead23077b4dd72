package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import tutti.daemon.protocol.Protocol;

/** Stream of a call whose bytes this end reads and sends, on a thread of its own, as the other end grants credit for them. */
final class OutgoingStream {
    private final InputStream from;
    private final Peer peer;
    private int credit;
    private boolean isStarted;
    private boolean isStopped;

    /** The end that receives the bytes. Methods do not block. */
    interface Peer {
        /** Sends a piece; the sender gives up the array. */
        void send(byte[] piece);

        /** Sends the end. */
        void end();

        /** Sends the reason why the stream cannot be read to its end. */
        void fail(String reason);
    }

    OutgoingStream(final InputStream from, final Peer peer) {
        this.from = from;
        this.peer = peer;
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
                    peer.end();
                    return;
                }
                synchronized (this) {
                    credit -= bytes;
                }
                peer.send(bytes == limit ? piece : Arrays.copyOf(piece, bytes));
            }
        } catch (final IOException | RuntimeException e) {
            peer.fail(Protocol.oneLine(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            peer.fail("interrupted");
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
