package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.channel.Conversation;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;

/** Client of a job that records what it receives; a test reads that in order. */
final class RecordingClient implements JobClient {
    private static final long LIMIT_SECONDS = 60;

    private final BlockingQueue<String> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<OutputPiece> output = new LinkedBlockingQueue<>();
    private final CompletableFuture<RankPlacement> placement = new CompletableFuture<>();
    private final CompletableFuture<Void> outputEnded = new CompletableFuture<>();
    private final CompletableFuture<byte[]> input = new CompletableFuture<>();
    private final CompletableFuture<InputStream> pieces = new CompletableFuture<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Reads no output until the returned action is run. */
    Runnable hold() {
        final CountDownLatch held = new CountDownLatch(1);
        gate = held;
        return held::countDown;
    }

    /** Reads no output any more. */
    void closeOutput() throws Exception {
        pieces.get(LIMIT_SECONDS, TimeUnit.SECONDS).close();
    }

    /** Waits for the id of the job. */
    String awaitAccepted() throws InterruptedException {
        final String job = accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(job, "no job was accepted within " + LIMIT_SECONDS + " s");
        return job;
    }

    /** Waits for the next piece of output. */
    OutputPiece nextOutput() throws InterruptedException {
        final OutputPiece piece = output.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(piece, "no output was received within " + LIMIT_SECONDS + " s");
        return piece;
    }

    /** Returns whether all output that was received was read by the test. */
    boolean isEmpty() {
        return output.isEmpty();
    }

    /** Completes with the placement of the ranks. */
    CompletableFuture<RankPlacement> placement() {
        return placement;
    }

    /** Completes when all output is read, exceptionally when the link is lost before. */
    CompletableFuture<Void> outputEnded() {
        return outputEnded;
    }

    /** Returns the input, which the test completes. */
    CompletableFuture<byte[]> provided() {
        return input;
    }

    @Override
    public void accepted(final String job) {
        accepted.add(job);
    }

    @Override
    public void placed(final RankPlacement of) {
        placement.complete(of);
    }

    @Override
    public CompletionStage<Void> output(final InputStream from) {
        pieces.complete(from);
        return Conversation.<Void>result(() -> {
            if (!gate.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the test does not read for too long");
            }
            for (OutputPiece piece = OutputPiece.read(from); piece != null; piece = OutputPiece.read(from)) {
                output.add(piece);
            }
            return null;
        }).whenComplete((done, e) -> {
            if (e == null) {
                outputEnded.complete(null);
            } else {
                outputEnded.completeExceptionally(e);
            }
        });
    }

    @Override
    public CompletionStage<byte[]> input() {
        return input;
    }
}
