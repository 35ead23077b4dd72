package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.daemon.channel.Conversation;
import tutti.daemon.launch.OutputPiece;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;

/** Listener that records what a part of a job reports; a test reads that in order. */
final class RecordingListener implements PartListener {
    private static final long LIMIT_SECONDS = 60;

    private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();
    private final AtomicInteger inputWanted = new AtomicInteger();
    private final CompletableFuture<byte[]> input = new CompletableFuture<>();
    private final CompletableFuture<InputStream> output = new CompletableFuture<>();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** What a part reports. */
    sealed interface Report {
        /** Output, a trace, or a report of an interceptor. */
        public record Put(OutputPiece piece) implements Report {
            String text() {
                return new String(piece.bytes(), StandardCharsets.UTF_8);
            }
        }

        /** End of a rank. */
        record RankEnded(int rank, RankOutcome end) implements Report {}

        /** End of the part. */
        record PartEnded() implements Report {}

        /** End of the output. */
        record OutputEnded() implements Report {}

        /** Failure of the part. */
        record Failed(int status, String text) implements Report {}

        /** Loss of the JVM of the part. */
        record JvmLost(String reason) implements Report {}

        /** Loss of a link to another node. */
        record NodeLost(int node, String reason) implements Report {}

        /** A checkpoint. */
        record Checkpointed(CheckpointReport report) implements Report {}

        /** What tuning has found out. */
        record Tuned(List<CallTuning> found) implements Report {}

        /** Release of modules. */
        record Released(List<ModuleId> kept) implements Report {}

        /** Start of a spawned job. */
        record Spawned() implements Report {}

        /** End of a spawned job. */
        record SpawnEnded() implements Report {}
    }

    /** Reads no output until the returned action is run. */
    public Runnable hold() {
        final CountDownLatch held = new CountDownLatch(1);
        gate = held;
        return held::countDown;
    }

    /** Reads no more output, as a coordinator does that does not wait for the part any more. */
    public void close() throws IOException {
        output.join().close();
    }

    /** Returns the next report; fails when there is none in time. */
    public Report next() throws InterruptedException {
        final Report next = reports.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing was reported within " + LIMIT_SECONDS + " s");
        return next;
    }

    /** Returns the next report, which must be of that type. */
    public <T extends Report> T next(final Class<T> type) throws InterruptedException {
        return assertInstanceOf(type, next());
    }

    /** Checks the end of the part, which is the last of its output. */
    public void awaitEnd() throws InterruptedException {
        assertEquals(new Report.PartEnded(), next());
        assertEquals(new Report.OutputEnded(), next());
    }

    /** Returns whether all reports were read. */
    public boolean isEmpty() {
        return reports.isEmpty();
    }

    /** Returns how often input was requested. */
    public int inputWanted() {
        return inputWanted.get();
    }

    /** Returns the input, which the test completes. */
    public CompletableFuture<byte[]> provided() {
        return input;
    }

    @Override
    public CompletionStage<Void> output(final InputStream pieces) {
        output.complete(pieces);
        return Conversation.result(() -> {
            if (!gate.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the test does not read for too long");
            }
            for (OutputPiece piece = OutputPiece.read(pieces); piece != null; piece = OutputPiece.read(pieces)) {
                reports.add(switch (piece.kind()) {
                    case RANK_ENDED -> new Report.RankEnded(piece.rank(), piece.value(RankOutcome.class));
                    case PART_ENDED -> new Report.PartEnded();
                    case SPAWN_ENDED -> new Report.SpawnEnded();
                    default -> new Report.Put(piece);
                });
            }
            reports.add(new Report.OutputEnded());
            return null;
        });
    }

    @Override
    public CompletionStage<byte[]> input() {
        inputWanted.incrementAndGet();
        return input;
    }

    @Override
    public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("no coordinator"));
    }

    @Override
    public CompletionStage<Void> inFinalize(final int rank) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("no coordinator"));
    }

    @Override
    public void failed(final int status, final String text) {
        reports.add(new Report.Failed(status, text));
    }

    @Override
    public void jvmLost(final String reason) {
        reports.add(new Report.JvmLost(reason));
    }

    @Override
    public void nodeLost(final int node, final String reason) {
        reports.add(new Report.NodeLost(node, reason));
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        reports.add(new Report.Checkpointed(report));
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        reports.add(new Report.Tuned(found));
    }

    @Override
    public void tried(final CanaryReport report) {
        // nothing is tried
    }

    @Override
    public void released(final List<ModuleId> kept) {
        reports.add(new Report.Released(kept));
    }

    @Override
    public void spawned() {
        reports.add(new Report.Spawned());
    }
}
