package tutti.daemon.job;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.protocol.Protocol;

/**
 * Relay of the output of a job's parts to its client, and of their traces if the client wants them; traces are kept on the node as well. Parts wait
 * while the client does not read. Safe for any thread.
 */
final class OutputRelay {
    private static final Logger LOG = LoggerFactory.getLogger(OutputRelay.class);

    private final String job;
    private final JobClient client;
    private final boolean isTraced;
    private final MeasurementStore.Job kept;
    private final BytePipe pipe = new BytePipe(Protocol.OUTPUT);
    private final CompletableFuture<Void> read = new CompletableFuture<>();

    /**
     * Creates a relay.
     *
     * @param isTraced whether the client wants traces
     * @param kept     keeps traces
     */
    OutputRelay(final String job, final JobClient client, final boolean isTraced, final MeasurementStore.Job kept) {
        this.job = job;
        this.client = client;
        this.isTraced = isTraced;
        this.kept = kept;
    }

    /** Starts to send to the client; returns at once. */
    void start() {
        Thread.ofVirtual().name("tutti-" + job + "-output").inheritInheritableThreadLocals(false).start(() -> client.output(pipe)
            .whenComplete((done, e) -> {
                if (e != null) {
                    LOG.debug("job {}: the client reads no more output", job, e);
                }
                close();
                read.complete(null);
            }));
    }

    /** Passes on a piece of output or of a trace. Waits while the client does not read; drops the piece when it is gone. */
    void print(final OutputPiece piece) throws InterruptedException {
        if (piece.kind() == OutputPiece.Kind.TRACE) {
            kept.trace(piece.rank(), piece.bytes());
            if (!isTraced) {
                return;
            }
        }
        pipe.put(piece.framed());
    }

    /** Adds a piece of output of the coordinator itself, however much waits; does not wait. */
    void tell(final OutputPiece piece) {
        pipe.add(piece.framed());
    }

    /**
     * Ends the output, and waits until the client has read it.
     *
     * @param limit how long the client may take
     */
    void finish(final Duration limit) throws InterruptedException {
        pipe.end();
        try {
            read.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final TimeoutException | ExecutionException e) {
            // Cause: the command is stopped, or its output is not read, for ten minutes after the job. Remedy: what it had not read is lost.
            LOG.warn("job {}: the client did not read all output: limit={} s", job, limit.toSeconds(), e);
        }
        close();
    }

    /** Discards all further output. */
    void close() {
        pipe.close();
    }
}
