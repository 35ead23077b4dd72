package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.proofs.JobProofs;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Message.Order;
import tutti.daemon.protocol.Message.Phase;
import tutti.daemon.protocol.Message.Prepared;
import tutti.daemon.protocol.Message.Progress;
import tutti.daemon.protocol.Message.Verb;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.TraceCodec;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.LogLines;
import tutti.runtime.process.owner.RankOutcome;

/** Tests of a part of a job and the orders of its coordinator, over a scripted host. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JobPartTest {
    private static final HostPort ADDRESS = new HostPort("h", 1);
    private static final Prepared PREPARED = new Prepared(new OneModule().catalogue(), List.of("tcp"), ADDRESS);
    private static final AgreedModules NOTHING = new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    private static final List<NodeAddress> NODES = List.of(new NodeAddress("a", "h", 1));
    private static final Progress ENDED = new Progress(Phase.ENDED, 0, "");

    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines(JobPart.class);
    private final ScriptedHost host = new ScriptedHost();
    private final BlockingQueue<Message> reported = new LinkedBlockingQueue<>();
    private final List<byte[]> printed = new ArrayList<>();
    private final List<byte[]> traced = new ArrayList<>();
    private final List<InterceptorReport.Piece> reports = new ArrayList<>();
    private final JobSpec spec = new JobSpec("job", new byte[32], List.of("a"), List.of(0, 0), 0, "M", List.of(), List.of());
    private Path folder;
    private final AtomicInteger inputWanted = new AtomicInteger();
    private final TransportRegistry registry = new TransportRegistry();
    private final JobTransports transports =
        new JobTransports(registry, UnaryOperator.identity(), new TestTransport(), new TestTransport(), ADDRESS, InetAddress.getLoopbackAddress(),
            host.acceptor());
    private JobPart part;

    @BeforeEach
    void make() throws IOException {
        folder = Files.createDirectories(dir.resolve("part"));
        Files.write(folder.resolve("0.jar"), new byte[1]);
        part = new JobPart(new JobPartListener() {
            @Override
            public void report(final Message message) {
                reported.add(message);
            }

            @Override
            public void printed(final int rank, final boolean error, final byte[] bytes) {
                printed.add(bytes);
            }

            @Override
            public void traced(final int rank, final byte[] bytes) throws InterruptedException {
                if (Thread.interrupted()) {
                    throw new InterruptedException("as a wait for the link does");
                }
                traced.add(bytes);
            }

            @Override
            public void reported(final InterceptorReport.Piece piece) {
                reports.add(piece);
            }

            @Override
            public void inputWanted() {
                inputWanted.incrementAndGet();
            }
        }, new PartSupport(new TestTransport(), new PublishedNames("a", name -> Map.of()), null, () -> 1, Map::of, () -> dir, 7,
            onWrong -> new JobProofs(new NodeProofs(), null, m -> false, onWrong), List::of,
            new ClusterCheckpoints(new NodeCheckpoints("a", dir, new TestTransport(), List::of), null, null)), folder);
    }

    private Message report() throws InterruptedException {
        return reported.poll(60, TimeUnit.SECONDS);
    }

    private static Message.Prepare prepare(final String transport) {
        return new Message.Prepare("job", new byte[32], transport, List.of("a", "b"), List.of(0, 1), 0, List.of(), List.of(), null, Map.of(), null,
            null, null);
    }

    @Test
    void shouldSendATraceInPieces() throws Exception {
        final RankTrace trace = new RankTrace(3, "a", List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)),
            Collections.nCopies(2000, new TraceEvent(0, PlannedTask.Kind.SEND, 1, 2, 8, 4, 5L << 32, 100, 200, true)), 7);
        part.traced(trace);
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] piece : traced) {
            assertTrue(piece.length > 0 && piece.length <= Protocol.CHUNK, "bytes: " + piece.length);
            all.writeBytes(piece);
        }
        assertTrue(traced.size() > 2);
        assertEquals(trace, TraceCodec.read(3, all.toByteArray()));
    }

    @Test
    void shouldSayThatATraceWasNotSent() {
        Thread.currentThread().interrupt();
        part.traced(new RankTrace(3, "a", List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)), List.of(), 0));
        assertTrue(Thread.interrupted());
        assertEquals(List.of("trace of rank 3 was not sent"), log.lines());
        assertEquals(List.of(), traced);
    }

    @Test
    void shouldSendAReportInPiecesOfWhichOneIsTheLast() {
        final byte[] content = new byte[2 * Protocol.CHUNK + 1];
        content[2 * Protocol.CHUNK] = 9;
        part.reported(new InterceptorReport("intercept.x", "text/plain", content));
        assertEquals(List.of(false, false, true), reports.stream().map(InterceptorReport.Piece::isLast).toList());
        assertArrayEquals(new byte[] {9}, reports.getLast().bytes());
        reports.clear();
        part.reported(new InterceptorReport("intercept.x", "text/plain", new byte[0]));
        assertEquals(1, reports.size());
        assertTrue(reports.getFirst().isLast());
    }

    @Test
    void shouldPassTheInputThatRankZeroRequests() throws Exception {
        part.prepare(spec, prepare("tcp"), host, transports);
        final ScriptedHost.Job job = host.next();
        job.listener().inputWanted();
        assertEquals(1, inputWanted.get());
        part.input(new byte[] {1, 2});
        assertArrayEquals(new byte[] {1, 2}, job.input().poll(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldRefuseMoreRanksThanTheNodeAllows() throws Exception {
        part.prepare(new JobSpec("job", new byte[32], List.of("a"), Collections.nCopies(8, 0), 0, "M", List.of(), List.of()), prepare("tcp"), host,
            transports);
        assertEquals(new Progress(Phase.FAILED, ExitStatus.FAILED, "too many ranks: ranks=8, max=7, limit=tutti.node.ranks; start fewer, use more "
            + "nodes, or raise the limit in the node's configuration"), report());
        assertTrue(Files.notExists(folder));
    }

    @Test
    void shouldGoThroughItsPhasesAndLeaveNothing() throws Exception {
        part.prepare(spec, prepare("tcp"), host, transports);
        final ScriptedHost.Job job = host.next();
        assertEquals(PREPARED, report());
        part.connect(new Message.Connect(NOTHING, NODES, NODES));
        job.connected().complete(null);
        assertEquals(new Progress(Phase.CONNECTED, 0, ""), report());
        part.order(new Order(Verb.START, ""));
        assertTrue(job.isStarted());
        job.end(1, new RankOutcome(RankOutcome.Kind.RETURNED, 0, ""));
        assertEquals(new Message.RankEnded(1, RankOutcome.Kind.RETURNED, 0, ""), report());
        assertTrue(Files.exists(folder));
        job.end(0, new RankOutcome(RankOutcome.Kind.EXITED, 3, "x".repeat(Protocol.MAX_TEXT + 7)));
        assertEquals(new Message.RankEnded(0, RankOutcome.Kind.EXITED, 3, "x".repeat(Protocol.MAX_TEXT) + "... (7 more characters)"), report());
        assertEquals(ENDED, report());
        assertFalse(Files.exists(folder));
        assertTrue(reported.isEmpty());
    }

    @Test
    void shouldFailWithTheReasonAndLeaveNothingWhenItCannotBePrepared() throws Exception {
        host.failToPrepare(new IOException("zip file is empty\n at line 7"));
        part.prepare(spec, prepare("tcp"), host, transports);
        assertEquals(new Progress(Phase.FAILED, 1, "zip file is empty"), report());
        assertFalse(Files.exists(folder));
        part.order(new Order(Verb.CANCEL, "the other nodes wait for nobody"));
        part.failed(new IOException("again"));
        assertTrue(reported.isEmpty());
    }

    @Test
    void shouldEndWithoutBeingStartedWhenCancelledBeforeItIsPrepared() throws Exception {
        part.order(new Order(Verb.CANCEL, "no longer wanted"));
        part.prepare(spec, prepare("tcp"), host, transports);
        final ScriptedHost.Job job = host.next();
        assertEquals("no longer wanted", job.cancelled().get(60, TimeUnit.SECONDS));
        assertFalse(job.isStarted());
        assertEquals(RankOutcome.Kind.CANCELLED, ((Message.RankEnded) report()).kind());
        assertEquals(RankOutcome.Kind.CANCELLED, ((Message.RankEnded) report()).kind());
        assertEquals(ENDED, report());
        assertFalse(Files.exists(folder));
    }

    @Test
    void shouldReleaseItsRanksWhenItCannotConnect() throws Exception {
        part.prepare(spec, prepare("tcp"), host, transports);
        final ScriptedHost.Job job = host.next();
        assertEquals(PREPARED, report());
        part.connect(new Message.Connect(NOTHING, NODES, NODES));
        job.connected().completeExceptionally(new IOException("node b does not answer"));
        assertEquals(new Progress(Phase.FAILED, 3, "node b does not answer"), report());
        assertEquals("node b does not answer", job.cancelled().get(60, TimeUnit.SECONDS));
        assertEquals(RankOutcome.Kind.CANCELLED, ((Message.RankEnded) report()).kind());
        assertEquals(RankOutcome.Kind.CANCELLED, ((Message.RankEnded) report()).kind());
        assertEquals(ENDED, report());
        assertFalse(Files.exists(folder));
    }

    /** Prepares a part that uses another transport than the node's own one. */
    private ScriptedHost.Job preparedOver(final TestTransport transport) throws InterruptedException {
        transport.publish(registry, "uds");
        part.prepare(spec, prepare("uds"), host, transports);
        final Prepared prepared = (Prepared) report();
        assertEquals(List.of("tcp", "uds"), prepared.transports());
        assertEquals(transport.listening(), Set.of(prepared.listener().socketAddress()));
        return host.next();
    }

    @Test
    void shouldListenOnTheTransportOfTheJobUntilItIsConnected() throws Exception {
        final TestTransport uds = new TestTransport();
        final ScriptedHost.Job job = preparedOver(uds);
        part.connect(new Message.Connect(NOTHING, NODES, NODES));
        assertSame(uds, job.transport());
        assertEquals(NODES, job.nodes());
        assertEquals(1, uds.listening().size());
        job.connected().complete(null);
        assertEquals(new Progress(Phase.CONNECTED, 0, ""), report());
        assertEquals(Set.of(), uds.listening());
        job.endWell();
        report();
        report();
        assertEquals(ENDED, report());
        registry.removeTransport(uds);
        assertTrue(reported.isEmpty());
    }

    @Test
    void shouldNotListenAnyMoreWhenItEndsBeforeItIsConnected() throws Exception {
        final TestTransport uds = new TestTransport();
        preparedOver(uds);
        part.order(new Order(Verb.CANCEL, "no longer wanted"));
        report();
        report();
        assertEquals(ENDED, report());
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldNotListenAnyMoreWhenItCannotBePrepared() throws Exception {
        final TestTransport uds = new TestTransport().publish(registry, "uds");
        host.failToPrepare(new IOException("no space left"));
        part.prepare(spec, prepare("uds"), host, transports);
        assertEquals(new Progress(Phase.FAILED, 1, "no space left"), report());
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldReportThatTheNodeDoesNotHaveTheTransport() throws Exception {
        part.prepare(spec, prepare("uds"), host, transports);
        assertEquals(new Prepared(new OneModule().catalogue(), List.of("tcp"), null), report());
        part.connect(new Message.Connect(NOTHING, NODES, NODES));
        assertEquals(new Progress(Phase.FAILED, 3, "agreement on a transport that this node does not have"), report());
        host.next().cancelled().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldFailWhenTheTransportCannotListen() throws Exception {
        new TestTransport().publish(registry, "uds").failToListen(new IOException("no free port"));
        part.prepare(spec, prepare("uds"), host, transports);
        assertEquals(new Progress(Phase.FAILED, 1, "transport uds cannot listen: no free port"), report());
        assertTrue(host.isEmpty());
        assertFalse(Files.exists(folder));
    }

    @Test
    void shouldEndItsRanksWhenTheTransportGoesAway() throws Exception {
        final TestTransport uds = new TestTransport();
        final ScriptedHost.Job job = preparedOver(uds);
        part.connect(new Message.Connect(NOTHING, NODES, NODES));
        job.connected().complete(null);
        assertEquals(new Progress(Phase.CONNECTED, 0, ""), report());
        part.order(new Order(Verb.START, ""));
        registry.removeTransport(uds);
        final String reason = "transport uds was stopped while the job used it";
        assertEquals(new Progress(Phase.FAILED, 3, reason), report());
        assertEquals(reason, job.cancelled().get(60, TimeUnit.SECONDS));
        report();
        report();
        assertEquals(ENDED, report());
        assertFalse(Files.exists(folder));
    }

    @Test
    void shouldReportALostNode() throws Exception {
        part.prepare(spec, prepare("tcp"), host, transports);
        host.next().listener().nodeLost(4, "silence");
        assertEquals(PREPARED, report());
        assertEquals(new Message.NodeLost(4, "silence"), report());
    }

    @Test
    void shouldSplitLongOutputAtTheEndsOfLines() {
        final String line = "x".repeat(99) + "\n";
        final String overlong = "y".repeat(2 * Protocol.CHUNK + 5) + "\n";
        final byte[] text = (line.repeat(1000) + overlong + line.repeat(1000) + "no end").getBytes(StandardCharsets.UTF_8);
        part.output(0, false, text);
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        int partial = 0;
        for (final byte[] piece : printed) {
            assertTrue(piece.length > 0 && piece.length <= Protocol.CHUNK, "bytes=" + piece.length);
            all.writeBytes(piece);
            partial += piece[piece.length - 1] == '\n' ? 0 : 1;
        }
        assertArrayEquals(text, all.toByteArray());
        assertEquals(3, partial, "pieces that end within a line: two of the overlong one, and the last");
    }

    @Test
    void shouldForwardSmallOutputUnchanged() {
        final byte[] text = new byte[Protocol.CHUNK];
        part.output(0, false, text);
        part.output(0, false, new byte[0]);
        assertEquals(1, printed.size());
        assertTrue(text == printed.getFirst());
    }
}
