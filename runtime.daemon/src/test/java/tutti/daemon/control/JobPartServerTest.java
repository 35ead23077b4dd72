package tutti.daemon.control;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.channel.Recorder;
import tutti.daemon.channel.Recorder.Received;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Message.Connect;
import tutti.daemon.protocol.Message.Order;
import tutti.daemon.protocol.Message.Phase;
import tutti.daemon.protocol.Message.Prepared;
import tutti.daemon.protocol.Message.Progress;
import tutti.daemon.protocol.Message.Verb;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of a part of a job on a node; the test is the coordinator at the other end of the link. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobPartServerTest {
    private static final NodeInfo ME = new NodeInfo("me", "1", "127.0.0.1", 1, 1, "25", 1, 0);
    private static final List<NodeAddress> NODES = List.of(new NodeAddress("a", "h", 1), new NodeAddress("b", "h", 2));
    private static final AgreedModules NOTHING = new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE);

    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    private final ScriptedHost host = new ScriptedHost();
    private final Recorder recorder = new Recorder();
    private TestNode node;
    private ControlChannel channel;

    @BeforeEach
    void link() throws IOException {
        node = new TestNode("b", Files.createDirectories(dir.resolve("b")), host);
        channel = connect(new NodeHello(Protocol.VERSION, ME, "job"), recorder);
    }

    private ControlChannel connect(final NodeHello hello, final Recorder recorder) throws IOException {
        final ControlChannel made = ControlChannel.open(c -> recorder);
        return made.attach(TestNode.SECRET.over(transport).connect(node.address().socketAddress(),
            new Hello(Protocol.NODE, MessageCodec.write(hello)), made,
            Duration.ofSeconds(60)));
    }

    @AfterEach
    void close() {
        transport.close();
        node.close();
    }

    private static Message.Prepare prepare(final ProgramFile... files) {
        return new Message.Prepare("job", new byte[32], "tcp", List.of("a", "b"), List.of(0, 1), 1, List.of(new JobProgram("M", List.of(), 2)),
            List.of(files), null, Map.of(), null, null, null);
    }

    private Prepared report() {
        return new Prepared(new OneModule().catalogue(), List.of("tcp"), node.address());
    }

    private ScriptedHost.Job prepared() throws InterruptedException {
        channel.post(prepare());
        final ScriptedHost.Job job = host.next();
        assertEquals(report(), recorder.nextMessage(Prepared.class));
        return job;
    }

    private Path jar(final int bytes) throws IOException {
        return Files.write(dir.resolve("app.jar"), new byte[bytes]);
    }

    private void folderIsEmpty() {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(() -> node.left().isEmpty());
    }

    @Test
    void shouldCarryOutOrdersAndReport() throws Exception {
        final ScriptedHost.Job job = prepared();
        assertEquals(1, job.spec().self());
        channel.post(new Connect(NOTHING, NODES, NODES));
        job.connected().complete(null);
        assertEquals(new Progress(Phase.CONNECTED, 0, ""), recorder.nextMessage(Progress.class));
        channel.post(new Order(Verb.START, ""));
        job.awaitStart();
        job.listener().output(1, true, "x\n".getBytes(StandardCharsets.UTF_8));
        assertEquals("x\n", new String(recorder.next(Received.Output.class).bytes(), StandardCharsets.UTF_8));
        job.end(1, new RankOutcome(RankOutcome.Kind.FAILED, 1, "stack"));
        assertEquals(new Message.RankEnded(1, RankOutcome.Kind.FAILED, 1, "stack"), recorder.nextMessage(Message.RankEnded.class));
        assertEquals(new Progress(Phase.ENDED, 0, ""), recorder.nextMessage(Progress.class));
    }

    @Test
    void shouldStoreTheProgramThrottledByCreditAndRemoveItAtTheEnd() throws Exception {
        final Path jar = jar(2 * Protocol.PROGRAM_CREDIT);
        channel.post(prepare(ProgramSender.describe(jar)));
        final ProgramSender sender = new ProgramSender(channel);
        final FutureTask<Void> sending = new FutureTask<>(() -> {
            sender.send(List.of(jar));
            return null;
        });
        Thread.ofVirtual().start(sending);
        int credit = 0;
        while (credit < 2 * Protocol.PROGRAM_CREDIT) {
            final int more = recorder.next(Received.ProgramCredit.class).bytes();
            credit += more;
            sender.credit(more);
        }
        sending.get(60, TimeUnit.SECONDS);
        assertEquals(report(), recorder.nextMessage(Prepared.class));
        final ScriptedHost.Job job = host.next();
        assertEquals(-1, Files.mismatch(jar, job.spec().classPath().getFirst()));
        assertEquals(1, node.left().size());
        job.endWell();
        assertEquals(RankOutcome.Kind.RETURNED, recorder.nextMessage(Message.RankEnded.class).kind());
        assertEquals(new Progress(Phase.ENDED, 0, ""), recorder.nextMessage(Progress.class));
        folderIsEmpty();
    }

    @Test
    void shouldLeaveNothingWhenTheProgramArrivesDamaged() throws Exception {
        channel.post(prepare(new ProgramFile("app.jar", 10, "0".repeat(64))));
        channel.postProgram(0, new byte[10], 10);
        final Progress failed = recorder.nextMessage(Progress.class);
        assertEquals(Phase.FAILED, failed.phase());
        assertEquals(1, failed.status());
        assertTrue(failed.text().startsWith("program arrived damaged: file=app.jar"), failed.text());
        folderIsEmpty();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldLeaveNothingWhenTheCoordinatorVanishesWhileItSendsTheProgram() throws Exception {
        channel.post(prepare(ProgramSender.describe(jar(100))));
        channel.postProgram(0, new byte[10], 10);
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(() -> node.left().size() == 1);
        transport.close();
        folderIsEmpty();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldEndItsRanksWhenTheCoordinatorVanishes() throws Exception {
        final ScriptedHost.Job job = prepared();
        job.connected().complete(null);
        channel.post(new Connect(NOTHING, NODES, NODES));
        channel.post(new Order(Verb.START, ""));
        job.awaitStart();
        transport.close();
        assertTrue(job.cancelled().get(60, TimeUnit.SECONDS).startsWith("the node that launched the job is gone: "));
        folderIsEmpty();
    }

    @Test
    void shouldEndAPartThatIsPreparedAfterTheCoordinatorVanished() throws Exception {
        final Runnable open = host.hold();
        channel.post(prepare(ProgramSender.describe(jar(10))));
        channel.postProgram(0, new byte[10], 10);
        host.awaitAsked();
        transport.close();
        folderIsEmpty();
        open.run();
        assertTrue(host.next().cancelled().get(60, TimeUnit.SECONDS).startsWith("the node that launched the job is gone: "));
    }

    @Test
    void shouldEndItsRanksOnRequestOfTheCoordinator() throws Exception {
        final ScriptedHost.Job job = prepared();
        channel.post(new Order(Verb.CANCEL, "rank 0 on node a failed"));
        assertEquals("rank 0 on node a failed", job.cancelled().get(60, TimeUnit.SECONDS));
        assertEquals(RankOutcome.Kind.CANCELLED, recorder.nextMessage(Message.RankEnded.class).kind());
        assertEquals(new Progress(Phase.ENDED, 0, ""), recorder.nextMessage(Progress.class));
    }

    @Test
    void shouldBlockRanksUntilTheCoordinatorReturnsCredit() throws Exception {
        final ScriptedHost.Job job = prepared();
        final FutureTask<Void> printing = new FutureTask<>(() -> job.listener().output(1, false, new byte[Protocol.NODE_OUTPUT_CREDIT + 2]), null);
        Thread.ofVirtual().start(printing);
        int bytes = 0;
        while (bytes < Protocol.NODE_OUTPUT_CREDIT) {
            bytes += recorder.next(Received.Output.class).bytes().length;
        }
        assertEquals(Protocol.NODE_OUTPUT_CREDIT, bytes);
        assertFalse(printing.isDone());
        channel.postOutputCredit(2);
        assertEquals(2, recorder.next(Received.Output.class).bytes().length);
        printing.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReleaseRanksThatPrintWhenTheCoordinatorVanishes() throws Exception {
        final ScriptedHost.Job job = prepared();
        final FutureTask<Void> printing = new FutureTask<>(() -> job.listener().output(1, false, new byte[2 * Protocol.NODE_OUTPUT_CREDIT]), null);
        Thread.ofVirtual().start(printing);
        recorder.next(Received.Output.class);
        assertFalse(printing.isDone());
        transport.close();
        printing.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldFailWhenConnectIsReceivedBeforeItIsPrepared() throws Exception {
        channel.post(new Connect(NOTHING, NODES, NODES));
        assertEquals(new Progress(Phase.FAILED, 1, "order before the part is prepared"), recorder.nextMessage(Progress.class));
    }

    @Test
    void shouldCloseTheLinkOfACoordinatorThatBreaksTheProtocolAndEndItsRanks() throws Exception {
        final ScriptedHost.Job job = prepared();
        channel.post(new Message.CancelRun());
        recorder.next(Received.Closed.class);
        assertTrue(job.cancelled().get(60, TimeUnit.SECONDS).contains("unexpected message from a coordinator: CancelRun"));
    }

    @Test
    void shouldKeepPartsSeparateForAnyNamesOfTheirJobs() throws Exception {
        final Recorder other = new Recorder();
        final ControlChannel second = connect(new NodeHello(Protocol.VERSION, ME, "../../job"), other);
        final ProgramFile file = ProgramSender.describe(jar(10));
        for (final ControlChannel c : List.of(channel, second)) {
            c.post(prepare(file));
            c.postProgram(0, new byte[10], 10);
        }
        assertEquals(report(), recorder.nextMessage(Prepared.class));
        assertEquals(report(), other.nextMessage(Prepared.class));
        final Path one = host.next().spec().classPath().getFirst();
        final Path two = host.next().spec().classPath().getFirst();
        assertNotEquals(one, two);
        assertTrue(one.toRealPath().startsWith(node.folder().toRealPath()) && two.toRealPath().startsWith(node.folder().toRealPath()));
    }

    @Test
    void shouldRefuseInvalidHellos() {
        refused("protocol differs: version=0, here=" + Protocol.VERSION, "{\"protocol\":0,\"node\":" + json(ME) + ",\"job\":\"j\"}");
        refused("bad hello: ", "{\"protocol\":1}");
        refused("bad hello: ", "");
        refused("bad hello: ", "[[[[");
    }

    private static String json(final Object value) {
        return new String(MessageCodec.write(value), StandardCharsets.UTF_8);
    }

    private void refused(final String reason, final String hello) {
        final ControlChannel made = ControlChannel.open(c -> new Recorder());
        final RefusedException e =
            assertThrows(RefusedException.class, () -> TestNode.SECRET.over(transport).connect(node.address().socketAddress(),
                new Hello(Protocol.NODE, hello.getBytes(StandardCharsets.UTF_8)), made, Duration.ofSeconds(60)));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }
}
