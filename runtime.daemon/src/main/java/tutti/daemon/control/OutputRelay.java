package tutti.daemon.control;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CreditBatch;
import tutti.daemon.channel.Credits;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;

/**
 * Relay of the ranks' output to the client, and of their traces if the client wants them, throttled by the credit that the client returns. The queue
 * is bounded: other nodes need credit to send to this one, and local ranks block. Traces and reports of interceptors are kept on the node as well.
 */
final class OutputRelay {
    private enum Kind { OUT, ERR, TRACE, KEPT }

    private record Piece(int rank, Kind kind, byte[] bytes, @Nullable CreditBatch credit) {}

    private static final Piece END = new Piece(-1, Kind.OUT, new byte[0], null);

    private final JobClient client;
    private final boolean isTraced;
    private final MeasurementStore.Job kept;
    private final Credits credits = new Credits(Protocol.CLIENT_OUTPUT_CREDIT);
    private final BlockingQueue<Piece> queue = new LinkedBlockingQueue<>();
    private final Thread thread;

    /**
     * Creates a relay.
     *
     * @param isTraced whether the client wants traces
     * @param kept     keeps traces and reports
     */
    OutputRelay(final String job, final JobClient client, final boolean isTraced, final MeasurementStore.Job kept) {
        this.client = client;
        this.isTraced = isTraced;
        this.kept = kept;
        this.thread = Thread.ofVirtual().name("tutti-" + job + "-output").unstarted(this::relay);
    }

    /** Starts to send what other nodes queue. */
    void start() {
        thread.start();
    }

    private void relay() {
        try {
            for (Piece p = queue.take(); p != END; p = queue.take()) {
                post(p);
                final CreditBatch credit = p.credit();
                if (credit != null) {
                    credit.consumed(p.bytes().length);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Queues output from another node; its credit is returned when the output is sent to the client. */
    void queueOutput(final int rank, final boolean error, final byte[] bytes, final CreditBatch credit) {
        queue.add(new Piece(rank, kind(error), bytes, credit));
    }

    /** Keeps a piece of a trace from another node, and queues it. */
    void queueTrace(final int rank, final byte[] bytes, final CreditBatch credit) {
        kept.trace(rank, bytes);
        queue.add(new Piece(rank, isTraced ? Kind.TRACE : Kind.KEPT, bytes, credit));
    }

    /** Keeps a piece of a report from another node, whose credit is returned after that of earlier pieces. */
    void queueReport(final InterceptorReport.Piece piece, final CreditBatch credit) {
        kept.report(piece);
        queue.add(new Piece(0, Kind.KEPT, piece.bytes(), credit));
    }

    private static Kind kind(final boolean error) {
        return error ? Kind.ERR : Kind.OUT;
    }

    /** Sends output of a local rank; blocks until the client has granted credit. */
    void sendOutput(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
        post(new Piece(rank, kind(error), bytes, null));
    }

    /** Keeps a piece of the trace of a local rank, and sends it; blocks until the client has granted credit. */
    void sendTrace(final int rank, final byte[] bytes) throws InterruptedException {
        kept.trace(rank, bytes);
        if (isTraced) {
            post(new Piece(rank, Kind.TRACE, bytes, null));
        }
    }

    /** Keeps a piece of a report of a local rank. */
    void keepReport(final InterceptorReport.Piece piece) {
        kept.report(piece);
    }

    private void post(final Piece p) throws InterruptedException {
        if (p.kind() == Kind.KEPT || !credits.acquire(p.bytes().length)) {
            return;
        }
        if (p.kind() == Kind.TRACE) {
            client.postTrace(p.rank(), p.bytes());
        } else {
            client.postOutput(p.rank(), p.kind() == Kind.ERR, p.bytes());
        }
    }

    /** Adds credit for output that the client has printed. */
    void outputCredit(final int bytes) {
        credits.grant(bytes);
    }

    /** Waits until the queue is sent to the client, or the client is lost, at most {@code millis} milliseconds. */
    void finish(final long millis) throws InterruptedException {
        queue.add(END);
        thread.join(millis);
        close();
    }

    /** Discards all further output. */
    void close() {
        credits.close();
        queue.add(END);
    }

    static long finishLimitMillis() {
        return TimeUnit.MINUTES.toMillis(10);
    }
}
