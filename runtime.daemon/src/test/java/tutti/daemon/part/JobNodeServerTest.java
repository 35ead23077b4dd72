package tutti.daemon.part;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Version;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.Recorder;
import tutti.daemon.control.OneModule;
import tutti.daemon.control.TestNode;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.RecordingListener.Report;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of a part of a job on a node; the test is the coordinator at the other end of the link. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobNodeServerTest {
    private static final NodeInfo ME = new NodeInfo("me", "1", "127.0.0.1", 1, 1, "25", 1, 0);
    private static final List<NodeAddress> NODES = List.of(new NodeAddress("a", "h", 1), new NodeAddress("b", "h", 2));
    private static final AgreedJob AGREED =
        new AgreedJob(new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE), NODES.stream().map(NodeEndpoints::tcp).toList(),
            List.of(),
            NODES);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    private final ScriptedHost host = new ScriptedHost();
    private TestNode node;
    private Link link;

    /** Link of a coordinator, which records what the part reports. */
    private record Link(RecordingListener listener, Recorder closed, ControlChannel channel) {
        JobNode node() {
            return channel.conversation().peer(JobNode.class);
        }

        JobPart part() {
            return channel.conversation().peer(JobPart.class);
        }
    }

    @BeforeEach
    void link() throws IOException {
        node = new TestNode("b", Files.createDirectories(dir.resolve("b")), host);
        link = connect(new NodeHello(Protocol.VERSION, ME, "b"));
    }

    private Link connect(final NodeHello hello) throws IOException {
        final RecordingListener listener = new RecordingListener();
        final Recorder closed = new Recorder();
        final ControlChannel made = ControlChannel.open(c -> {
            c.conversation().serve(PartListener.class, listener);
            return closed;
        });
        made.attach(TestNode.SECRET.over(transport).connect(node.address().socketAddress(),
            new Hello(Protocol.NODE, MessageCodec.write(hello)), made, PATIENCE));
        return new Link(listener, closed, made);
    }

    @AfterEach
    void close() {
        transport.close();
        node.close();
    }

    private static Preparation order(final ProgramFile... files) {
        return new Preparation("job", new byte[32], List.of("tcp"), List.of("a", "b"), List.of(0, 1), 1, List.of(new JobProgram("M", List.of(), 2)),
            List.of(files), null, Map.of(), null, null, null);
    }

    private static <T> T get(final CompletionStage<T> call) throws Exception {
        return call.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static CallFailedException failure(final CompletionStage<?> call) {
        return assertInstanceOf(CallFailedException.class, assertThrows(ExecutionException.class, () -> get(call)).getCause());
    }

    private PreparedPart report() {
        return new PreparedPart(new OneModule().catalogue(), List.of("tcp"), List.of(Endpoint.tcp(node.address().host(), node.address().port())));
    }

    private static InputStream stream(final int bytes) {
        return new ByteArrayInputStream(new byte[bytes]);
    }

    private ScriptedHost.Job prepared() throws Exception {
        assertEquals(report(), get(link.node().prepare(order(), InputStream.nullInputStream())));
        return host.next();
    }

    private Path jar(final int bytes) throws IOException {
        return Files.write(dir.resolve("app.jar"), new byte[bytes]);
    }

    private void folderIsEmpty() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> node.left().isEmpty());
    }

    @Test
    void shouldCarryOutOrdersAndReport() throws Exception {
        final ScriptedHost.Job job = prepared();
        assertEquals(1, job.spec().self());
        final CompletionStage<Void> connected = link.part().connect(AGREED);
        job.connected().complete(null);
        get(connected);
        assertEquals(NODES.stream().map(NodeEndpoints::tcp).toList(), job.nodes());
        link.part().start();
        job.awaitStart();
        job.listener().output(1, true, "x\n".getBytes(StandardCharsets.UTF_8));
        assertEquals("x\n", link.listener().next(Report.Put.class).text());
        final RankOutcome failed = new RankOutcome(RankOutcome.Kind.FAILED, 1, "stack");
        job.end(1, failed);
        assertEquals(new Report.RankEnded(1, failed), link.listener().next());
        link.listener().awaitEnd();
    }

    @Test
    void shouldTellTheLastPointAndPassTheOneOfACheckpoint() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.reach(5);
        assertEquals(5, get(link.part().lastPoint()));
        link.part().checkpointAt(6);
        assertEquals(6, job.pointWanted().get(60, TimeUnit.SECONDS));
        assertEquals(List.of(), get(link.part().inspect(0)));
        link.part().lose(List.of(0), "rank 0 on node a failed");
        assertEquals("[0]: rank 0 on node a failed", job.nextLoss());
    }

    @Test
    void shouldPassTheInputThatRankZeroRequests() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.listener().inputWanted();
        link.listener().provided().complete(new byte[] {7});
        assertEquals(7, job.input().poll(60, TimeUnit.SECONDS)[0]);
    }

    @Test
    void shouldReportALostNode() throws Exception {
        prepared().listener().nodeLost(0, "silence");
        assertEquals(new Report.NodeLost(0, "silence"), link.listener().next());
    }

    @Test
    void shouldReportWhatTuningHasFoundOut() throws Exception {
        final List<CallTuning> found = List.of(new CallTuning("w", new CallTuning.Shape(5, 3, new LongRange(1, 2)), "bcast",
            CallTuning.Kind.USUAL, LongRange.only(0), List.of(new CallTuning.Measured(new ModuleId("m", new Version(1, 0, 0), "d"),
                AlgorithmRef.of("m/a:k=2"), 40, 900, 20, 1, null)),
            0, 0, 99, 1, 7));
        prepared().listener().tuned(found);
        assertEquals(new Report.Tuned(found), link.listener().next());
    }

    @Test
    void shouldStoreTheProgramAsItArrivesAndRemoveItAtTheEnd() throws Exception {
        final Path jar = jar(5 << 20);
        assertEquals(report(), get(link.node().prepare(order(ProgramFiles.describe(jar)), ProgramFiles.stream(List.of(jar)))));
        final ScriptedHost.Job job = host.next();
        assertEquals(-1, Files.mismatch(jar, job.spec().classPath().getFirst()));
        assertEquals(1, node.left().size());
        job.endWell();
        assertEquals(RankOutcome.Kind.RETURNED, link.listener().next(Report.RankEnded.class).end().kind());
        link.listener().awaitEnd();
        folderIsEmpty();
    }

    @Test
    void shouldLeaveNothingWhenTheProgramArrivesDamaged() throws Exception {
        final CallFailedException failed = failure(link.node().prepare(order(new ProgramFile("app.jar", 10, "0".repeat(64))), stream(10)));
        assertEquals(ExitStatus.FAILED, failed.status());
        assertTrue(failed.getMessage().startsWith("program arrived damaged: file=app.jar"), failed.getMessage());
        folderIsEmpty();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldLeaveNothingWhenItCannotBePrepared() throws Exception {
        host.failToPrepare(new IOException("no space left"));
        final CallFailedException failed = failure(link.node().prepare(order(ProgramFiles.describe(jar(10))), stream(10)));
        assertEquals(ExitStatus.FAILED, failed.status());
        assertEquals("no space left", failed.getMessage());
        assertEquals(new Report.OutputEnded(), link.listener().next());
        folderIsEmpty();
    }

    @Test
    void shouldLeaveNothingWhenTheCoordinatorVanishesWhileItSendsTheProgram() throws Exception {
        final BytePipe program = new BytePipe(100);
        link.node().prepare(order(ProgramFiles.describe(jar(100))), program);
        program.put(new byte[10]);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> node.left().size() == 1);
        transport.close();
        folderIsEmpty();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldEndItsRanksWhenTheCoordinatorVanishes() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.connected().complete(null);
        get(link.part().connect(AGREED));
        link.part().start();
        job.awaitStart();
        transport.close();
        assertTrue(job.cancelled().get(60, TimeUnit.SECONDS).startsWith("the node that launched the job is gone: "));
        folderIsEmpty();
    }

    @Test
    void shouldEndAPartThatIsPreparedAfterTheCoordinatorVanished() throws Exception {
        final Runnable open = host.hold();
        link.node().prepare(order(ProgramFiles.describe(jar(10))), stream(10));
        host.awaitAsked();
        transport.close();
        folderIsEmpty();
        open.run();
        assertTrue(host.next().cancelled().get(60, TimeUnit.SECONDS).startsWith("the node that launched the job is gone: "));
        folderIsEmpty();
    }

    @Test
    void shouldEndItsRanksOnRequestOfTheCoordinator() throws Exception {
        final ScriptedHost.Job job = prepared();
        link.part().cancel("rank 0 on node a failed");
        assertEquals("rank 0 on node a failed", job.cancelled().get(60, TimeUnit.SECONDS));
        assertEquals(RankOutcome.Kind.CANCELLED, link.listener().next(Report.RankEnded.class).end().kind());
        link.listener().awaitEnd();
    }

    @Test
    void shouldRefuseToBePreparedWhenTheCoordinatorHasCancelledItBefore() throws Exception {
        link.part().cancel("rank 0 on node a failed");
        final CallFailedException failed = failure(link.node().prepare(order(ProgramFiles.describe(jar(10))), stream(10)));
        assertEquals(ExitStatus.CANCELLED, failed.status());
        assertEquals("rank 0 on node a failed", failed.getMessage());
        folderIsEmpty();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldRefuseASecondPartOnTheLinkAndLeaveTheFirstItsProgram() throws Exception {
        final Path jar = jar(10);
        get(link.node().prepare(order(ProgramFiles.describe(jar)), stream(10)));
        final ScriptedHost.Job job = host.next();
        final CallFailedException failed =
            failure(link.node().prepare(order(new ProgramFile("app.jar", 20, "0".repeat(64))), stream(20)));
        assertEquals(ExitStatus.FAILED, failed.status());
        assertEquals("a link has one part of a job", failed.getMessage());
        assertEquals(-1, Files.mismatch(jar, job.spec().classPath().getFirst()));
        assertTrue(host.isEmpty());
        job.endWell();
        link.listener().next(Report.RankEnded.class);
        link.listener().awaitEnd();
        folderIsEmpty();
    }

    /** Prints pieces, and counts those for which there was room. */
    private static FutureTask<Void> printing(final ScriptedHost.Job job, final AtomicInteger printed) {
        final FutureTask<Void> task = new FutureTask<>(() -> {
            for (int i = 0; i < 3 * Protocol.OUTPUT / Protocol.CHUNK; i++) {
                job.listener().output(1, false, new byte[Protocol.CHUNK]);
                printed.incrementAndGet();
            }
            return null;
        });
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void shouldBlockRanksWhileTheCoordinatorDoesNotRead() throws Exception {
        final Runnable read = link.listener().hold();
        final ScriptedHost.Job job = prepared();
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> printing = printing(job, printed);
        final int fitting = Protocol.OUTPUT / Protocol.CHUNK;
        await().atMost(PATIENCE).until(() -> printed.get() == fitting);
        await().during(Duration.ofMillis(50)).until(() -> printed.get() == fitting && link.listener().isEmpty());
        read.run();
        printing.get(60, TimeUnit.SECONDS);
        job.endWell();
        for (int i = 0; i < 3 * fitting; i++) {
            assertEquals(Protocol.CHUNK, link.listener().next(Report.Put.class).piece().bytes().length);
        }
        link.listener().next(Report.RankEnded.class);
        link.listener().awaitEnd();
    }

    @Test
    void shouldReleaseRanksThatPrintWhenTheCoordinatorVanishes() throws Exception {
        final Runnable read = link.listener().hold();
        final ScriptedHost.Job job = prepared();
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> printing = printing(job, printed);
        await().atMost(PATIENCE).until(() -> printed.get() == Protocol.OUTPUT / Protocol.CHUNK);
        assertFalse(printing.isDone());
        transport.close();
        printing.get(60, TimeUnit.SECONDS);
        read.run();
        folderIsEmpty();
    }

    @Test
    void shouldReleaseRanksThatPrintWhenTheCoordinatorReadsNoMore() throws Exception {
        final Runnable read = link.listener().hold();
        final ScriptedHost.Job job = prepared();
        final AtomicInteger printed = new AtomicInteger();
        final FutureTask<Void> printing = printing(job, printed);
        await().atMost(PATIENCE).until(() -> printed.get() == Protocol.OUTPUT / Protocol.CHUNK);
        link.listener().close();
        read.run();
        printing.get(60, TimeUnit.SECONDS);
        job.endWell();
        folderIsEmpty();
    }

    @Test
    void shouldTellByItsCallAloneThatItCannotConnect() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.connected().completeExceptionally(new IOException("node a does not answer"));
        final CallFailedException failed = failure(link.part().connect(AGREED));
        assertEquals(ExitStatus.NO_CLUSTER, failed.status());
        assertEquals("node a does not answer", failed.getMessage());
        assertEquals("node a does not answer", job.cancelled().get(60, TimeUnit.SECONDS));
        assertEquals(new Report.OutputEnded(), link.listener().next());
        folderIsEmpty();
    }

    @Test
    void shouldFailToConnectBeforeItIsPrepared() {
        final CallFailedException failed = failure(link.part().connect(AGREED));
        assertEquals(ExitStatus.FAILED, failed.status());
        assertEquals("the part is not prepared", failed.getMessage());
    }

    @Test
    void shouldCloseTheLinkOfACoordinatorThatBreaksTheProtocolAndEndItsRanks() throws Exception {
        final ScriptedHost.Job job = prepared();
        link.channel().conversation().peer(PartListener.class).spawned();
        link.closed().awaitClosed();
        final String reason = job.cancelled().get(60, TimeUnit.SECONDS);
        assertTrue(reason.contains("unexpected message: PartListener.spawned"), reason);
        folderIsEmpty();
    }

    @Test
    void shouldCloseTheLinkOfACoordinatorThatStartsAPartBeforeItIsPrepared() throws Exception {
        link.part().start();
        link.closed().awaitClosed();
        folderIsEmpty();
    }

    @Test
    void shouldKeepPartsSeparateForAnyNamesOfTheirJobs() throws Exception {
        final Link second = connect(new NodeHello(Protocol.VERSION, ME, ".."));
        final ProgramFile file = ProgramFiles.describe(jar(10));
        final List<Path> stored = new ArrayList<>();
        for (final Link l : List.of(link, second)) {
            assertEquals(report(), get(l.node().prepare(order(file), stream(10))));
            stored.add(host.next().spec().classPath().getFirst());
        }
        assertNotEquals(stored.getFirst(), stored.getLast());
        for (final Path path : stored) {
            assertTrue(path.toRealPath().startsWith(node.folder().toRealPath()));
        }
    }

    @Test
    void shouldRefuseInvalidHellos() {
        refused("protocol differs: version=0, here=" + Protocol.VERSION, "{\"protocol\":0,\"node\":" + json(ME) + ",\"place\":\"b\"}");
        refused("bad hello: ", "{\"protocol\":1}");
        refused("bad hello: ", "");
        refused("bad hello: ", "[[[[");
    }

    private static String json(final Object value) {
        return new String(MessageCodec.write(value), StandardCharsets.UTF_8);
    }

    private void refused(final String reason, final String hello) {
        final ControlChannel made = ControlChannel.open();
        final RefusedException e =
            assertThrows(RefusedException.class, () -> TestNode.SECRET.over(transport).connect(node.address().socketAddress(),
                new Hello(Protocol.NODE, hello.getBytes(StandardCharsets.UTF_8)), made, PATIENCE));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
