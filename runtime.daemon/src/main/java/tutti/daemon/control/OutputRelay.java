package tutti.daemon.control;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.protocol.ControlChannel;
import tutti.daemon.protocol.CreditBatch;
import tutti.daemon.protocol.Credits;
import tutti.daemon.protocol.Protocol;

/**
 * Brings what ranks print, and their traces, to the client, as fast as it takes it. What waits is bounded: nodes hold credit for what they
 * send here, and local ranks wait themselves.
 */
final class OutputRelay {
    private enum Kind { OUT, ERR, TRACE }

    private record Piece(int rank, Kind kind, byte[] bytes, CreditBatch credit) { }

    private static final Piece END = new Piece(-1, Kind.OUT, new byte[0], null);

    private final ControlChannel client;
    private final Credits credits = new Credits(Protocol.CLIENT_OUTPUT_WINDOW);
    private final BlockingQueue<Piece> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;

    OutputRelay(final String job, final ControlChannel client) {
        this.client = client;
        this.thread = Thread.ofVirtual().name("tutti-" + job + "-output").start(this::relay);
    }

    private void relay() {
        try {
            for (Piece p = waiting.take(); p != END; p = waiting.take()) {
                post(p);
                p.credit().taken(p.bytes().length);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Output of another node; its credit is given back when the client took it. */
    void later(final int rank, final boolean error, final byte[] bytes, final CreditBatch credit) {
        waiting.add(new Piece(rank, kind(error), bytes, credit));
    }

    /** A piece of a trace from another node. */
    void traceLater(final int rank, final byte[] bytes, final CreditBatch credit) {
        waiting.add(new Piece(rank, Kind.TRACE, bytes, credit));
    }

    private static Kind kind(final boolean error) {
        return error ? Kind.ERR : Kind.OUT;
    }

    /** Output of a rank here, which waits for the client. */
    void now(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        post(new Piece(rank, kind(error), bytes, null));
    }

    /** A piece of the trace of a rank here, which waits for the client. */
    void traceNow(final int rank, final byte[] bytes) throws InterruptedException {
        post(new Piece(rank, Kind.TRACE, bytes, null));
    }

    private void post(final Piece p) throws InterruptedException {
        if (!credits.acquire(p.bytes().length)) {
            return;
        }
        if (p.kind() == Kind.TRACE) {
            client.postTrace(p.rank(), p.bytes());
        } else {
            client.postOutput(p.rank(), p.kind() == Kind.ERR, p.bytes(), 0, p.bytes().length);
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
