package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.daemon.part.PartOutput;
import tutti.daemon.part.Preparation;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.JobProgram;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of a part of a job on another node, as its coordinator has it: over a real socket, with a scripted node. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CoordinatedPartTest {
    private static final NodeInfo ME = new NodeInfo("me", "1", "127.0.0.1", 1, 1, "25", 1, 0);
    /** More bytes than wait on their way to a coordinator that does not read. */
    private static final int MUCH = 4 << 20;
    private static final RankOutcome RETURNED = new RankOutcome(RankOutcome.Kind.RETURNED, 0, "");
    private static final AgreedJob AGREED =
        new AgreedJob(new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE), List.of(), List.of(), List.of());

    private final MinaTransport transport = new MinaTransport();
    private final ScriptedNode node = new ScriptedNode();
    private final Coordinator coordinator = new Coordinator();

    /** Coordinator that records all it receives. */
    private static final class Coordinator implements CoordinatedPart.Coordinator {
        private final BlockingQueue<JobEvent> events = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();
        private final BlockingQueue<InterceptorReport.Piece> kept = new LinkedBlockingQueue<>();
        private final CompletableFuture<CheckpointReport> checkpoint = new CompletableFuture<>();
        private final CompletableFuture<List<CallTuning>> tuned = new CompletableFuture<>();
        private final CountDownLatch mayPrint = new CountDownLatch(1);
        private volatile RuntimeException failure;

        JobEvent next() throws InterruptedException {
            final JobEvent event = events.poll(60, TimeUnit.SECONDS);
            assertNotNull(event, "no event within 60 s");
            return event;
        }

        @Override
        public void add(final JobEvent event) {
            events.add(event);
        }

        @Override
        public CompletionStage<byte[]> input() {
            return CompletableFuture.completedStage(new byte[] {1, 2});
        }

        @Override
        public void tuned(final List<CallTuning> found) {
            tuned.complete(found);
        }

        @Override
        public void tried(final CanaryReport report) {
            // nothing is tried
        }

        @Override
        public void checkpointed(final CheckpointReport report) {
            checkpoint.complete(report);
        }

        @Override
        public void print(final OutputPiece piece) throws InterruptedException {
            assertTrue(mayPrint.await(60, TimeUnit.SECONDS));
            printed.add(new String(piece.bytes(), StandardCharsets.UTF_8));
        }

        @Override
        public void keep(final InterceptorReport.Piece piece) {
            if (failure != null) {
                throw failure;
            }
            kept.add(piece);
        }
    }

    @AfterEach
    void close() {
        coordinator.mayPrint.countDown();
        transport.close();
        node.close();
    }

    private static final List<CallTuning> FOUND = List.of(TuningStoreTest.found("ring", 3, 10), TuningStoreTest.found("basic", 5, 11));

    private CoordinatedPart begun() throws IOException {
        final Preparation order = new Preparation("job", new byte[32], List.of("tcp"), List.of("a", "b"), List.of(0, 1), 1,
            List.of(new JobProgram("M", List.of(), 2)), List.of(), null, Map.of(), null, null, null);
        return CoordinatedPart.there(coordinator, order, List.of(), node.listen("b"), ME, transport);
    }

    private CoordinatedPart prepared() throws Exception {
        final CoordinatedPart part = begun();
        assertEquals(1, assertInstanceOf(JobEvent.Prepared.class, coordinator.next()).node());
        return part;
    }

    private static <T> T get(final CompletionStage<T> call) throws Exception {
        return call.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldTellThatThePartIsPreparedAndConnected() throws Exception {
        prepared().connect(AGREED);
        assertEquals(AGREED, get(node.part().agreed()));
        assertEquals(new JobEvent.Connected(1), coordinator.next());
    }

    @Test
    void shouldTellTheFailureOfThePartWithItsStatus() throws Exception {
        node.prepareAs(CompletableFuture.failedFuture(new CallFailedException(ExitStatus.CANCELLED, "no longer wanted")));
        begun();
        assertEquals(new JobEvent.PartFailed(1, ExitStatus.CANCELLED, "no longer wanted"), coordinator.next());
    }

    @Test
    void shouldTellTheLossOfItsLinkOnceWhateverWaits() throws Exception {
        node.prepareAs(new CompletableFuture<>());
        final CoordinatedPart part = begun();
        part.connect(AGREED);
        get(node.part().agreed());
        assertEquals(new JobEvent.Connected(1), coordinator.next());
        node.close();
        final JobEvent.PartLost lost = assertInstanceOf(JobEvent.PartLost.class, coordinator.next());
        assertTrue(lost.byLink());
        assertThrows(ExecutionException.class, () -> get(part.part().lastPoint()));
        assertTrue(coordinator.events.isEmpty());
    }

    @Test
    void shouldPassOnWhatThePartPutsOutBeforeTheEndsOfItsRanks() throws Exception {
        coordinator.mayPrint.countDown();
        prepared();
        final PartOutput output = new PartOutput();
        output.open(node.coordinator());
        output.print(1, false, "a line\n".getBytes(StandardCharsets.UTF_8));
        output.report(new InterceptorReport("intercept.x", "text/plain", new byte[1]));
        output.begin();
        output.rankEnded(1, RETURNED);
        output.partEnded();
        assertEquals(new JobEvent.RankEnded(1, 1, RETURNED), coordinator.next());
        assertEquals("a line\n", coordinator.printed.poll());
        assertEquals("intercept.x", coordinator.kept.remove().module());
        assertEquals(new JobEvent.PartEnded(1), coordinator.next());
        output.print(0, false, "a line of a spawned job\n".getBytes(StandardCharsets.UTF_8));
        output.spawnEnded();
        assertEquals(new JobEvent.SpawnEnded(1), coordinator.next());
        assertEquals("a line of a spawned job\n", coordinator.printed.poll());
    }

    @Test
    void shouldPassOnNoticesWhileTheClientDoesNotRead() throws Exception {
        prepared();
        final PartOutput output = new PartOutput();
        output.open(node.coordinator());
        output.print(1, false, new byte[1]);
        node.coordinator().spawned();
        node.coordinator().nodeLost(0, "silence");
        node.coordinator().jvmLost("the JVM has ended");
        node.coordinator().failed(3, "its transport was stopped");
        final CheckpointReport report = new CheckpointReport(1, 2, 3, 4, null);
        node.coordinator().checkpointed(report);
        node.coordinator().tuned(FOUND);
        assertEquals(new JobEvent.Spawned(1), coordinator.next());
        assertEquals(new JobEvent.NodeLost(1, 0, "silence"), coordinator.next());
        assertEquals(new JobEvent.JvmLost(1, "the JVM has ended"), coordinator.next());
        assertEquals(new JobEvent.PartFailed(1, 3, "its transport was stopped"), coordinator.next());
        assertEquals(report, get(coordinator.checkpoint));
        assertEquals(FOUND, get(coordinator.tuned));
        assertArrayEquals(new byte[] {1, 2}, get(node.coordinator().input()));
        assertTrue(coordinator.printed.isEmpty());
    }

    @Test
    void shouldCountAPartAsFailedThatPutsOutSomethingElse() throws Exception {
        prepared();
        final CompletionStage<Void> read = node.coordinator().output(new ByteArrayInputStream(new byte[] {99, 0, 0, 0, 0, 0, 0, 0, 0}));
        assertEquals(new JobEvent.PartFailed(1, ExitStatus.NO_CLUSTER, "not output of a job: kind=99, rank=0, length=0"), coordinator.next());
        assertThrows(ExecutionException.class, () -> get(read));
    }

    @Test
    void shouldCountAPartAsFailedWhoseOutputEndsWithinAPiece() throws Exception {
        prepared();
        node.coordinator().output(new ByteArrayInputStream(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 5, 1}));
        assertEquals(new JobEvent.PartFailed(1, ExitStatus.NO_CLUSTER, "output of a job ends within a piece: missing=4 bytes"), coordinator.next());
    }

    @Test
    void shouldCountAPartAsFailedWhoseOutputCannotBeTakenAndReleaseItsRanks() throws Exception {
        coordinator.failure = new IllegalStateException("no place for reports");
        prepared();
        final PartOutput output = new PartOutput();
        output.open(node.coordinator());
        output.report(new InterceptorReport("intercept.x", "text/plain", new byte[1]));
        assertEquals(new JobEvent.PartFailed(1, ExitStatus.NO_CLUSTER, "no place for reports"), coordinator.next());
        output.print(1, false, new byte[MUCH]);
        output.partEnded();
    }

    @Test
    void shouldReleaseTheRanksOfAPartThatIsNotReadAnyMore() throws Exception {
        final CoordinatedPart part = prepared();
        final PartOutput output = new PartOutput();
        output.open(node.coordinator());
        final FutureTask<Void> printing = new FutureTask<>(() -> {
            output.print(1, false, new byte[MUCH]);
            return null;
        });
        Thread.ofVirtual().start(printing);
        assertThrows(TimeoutException.class, () -> printing.get(50, TimeUnit.MILLISECONDS));
        part.close();
        coordinator.mayPrint.countDown();
        printing.get(60, TimeUnit.SECONDS);
    }
}
