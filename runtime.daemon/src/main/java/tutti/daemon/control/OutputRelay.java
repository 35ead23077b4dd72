package tutti.daemon.control;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.protocol.Channel;
import tutti.daemon.protocol.CreditReturn;
import tutti.daemon.protocol.Credits;
import tutti.daemon.protocol.Protocol;

/**
 * Brings what ranks print to the client, as fast as it takes it. What waits is bounded: nodes hold credit for what they send here, and
 * local ranks wait themselves.
 */
final class OutputRelay {
    private record Piece(int rank, boolean error, byte[] bytes, CreditReturn credit) { }

    private static final Piece END = new Piece(-1, false, new byte[0], null);

    private final Channel client;
    private final Credits credits = new Credits(Protocol.CLIENT_OUTPUT_WINDOW);
    private final BlockingQueue<Piece> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;

    OutputRelay(final String job, final Channel client) {
        this.client = client;
        this.thread = Thread.ofVirtual().name("tutti-" + job + "-output").start(this::relay);
    }

    private void relay() {
        try {
            for (Piece p = waiting.take(); p != END; p = waiting.take()) {
                now(p.rank(), p.error(), p.bytes());
                p.credit().taken(p.bytes().length);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Output of another node; its credit is given back when the client took it. */
    void later(final int rank, final boolean error, final byte[] bytes, final CreditReturn credit) {
        waiting.add(new Piece(rank, error, bytes, credit));
    }

    /** Output of a rank here, which waits for the client. */
    void now(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        if (credits.acquire(bytes.length)) {
            client.postOutput(rank, error, bytes, 0, bytes.length);
        }
    }

    /** The client printed that much. */
    void granted(final int bytes) {
        credits.grant(bytes);
    }

    /** Waits until all that came is with the client, or the client is gone, at most so long. */
    void finish(final long millis) throws InterruptedException {
        waiting.add(END);
        thread.join(millis);
        close();
    }

    /** Nobody wants output any more. */
    void close() {
        credits.close();
        waiting.add(END);
    }

    static long patience() {
        return TimeUnit.MINUTES.toMillis(10);
    }
}
