package tutti.daemon.control;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.LiveCounts;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.Reply;
import tutti.daemon.protocol.TracePieces;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.introspect.TraceEvent;
import tutti.runtime.introspect.TracedCall;
import tutti.runtime.job.JobListener;
import tutti.runtime.process.LogLines;

/** Tests of how a node starts and stops, seen by its container. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NodeServiceTest {
    private final List<TestNode> nodes = new ArrayList<>();

    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon.control");

    @AfterEach
    void close() {
        nodes.forEach(TestNode::close);
    }

    private TestNode node(final String name, final String listen) throws Exception {
        final TestNode node = new TestNode(name, listen, dir.resolve(name), new ScriptedHost());
        nodes.add(node);
        return node;
    }

    @Test
    void shouldRegisterTheAddressOnWhichItListens() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        assertEquals("a", a.property(NodeProperties.NAME));
        assertTrue(a.address().port() > 0, a.address().toString());
        assertNull(a.property(NodeProperties.FAILURE));
    }

    @Test
    void shouldRegisterWhyItCannotListen() throws Exception {
        final String taken = node("a", "127.0.0.1:0").address().toString();
        final TestNode b = node("b", taken);
        assertNull(b.property(NodeProperties.ADDRESS));
        assertTrue(b.property(NodeProperties.FAILURE).startsWith("cannot listen: address=" + taken), b.property(NodeProperties.FAILURE));
        // a container that has other purposes goes on, so that its log says it
        node("c", Map.of(NodeProperties.LISTEN, taken));
        log.assertLine("node c cannot start, change configuration tutti.node: cannot listen: address=" + taken);
    }

    @Test
    void shouldTellOtherBundlesAndCommandsWhatItHasDoneAndSeen() throws Exception {
        final ScriptedHost host = new ScriptedHost();
        final TestNode a = new TestNode(Map.of(NodeProperties.NAME, "a", NodeProperties.HISTORY, "5"), dir.resolve("a"), host);
        nodes.add(a);
        final TestNode b = node("b", "127.0.0.1:0");
        b.join(a);
        try (TestClient client = new TestClient(a.address())) {
            client.launch(TestClient.run(1, 0, List.of()));
            host.next();
            client.cancel();
            client.done();
        }
        final NodeMonitor monitor = b.service();
        final JobRecord job = monitor.histories().getFirst();
        assertEquals(List.of(1, List.of("a"), "a", 7), List.of(job.ranks(), job.nodes(), job.launchedAt(), job.end().status()));
        assertEquals(List.of(job), a.service().history());
        assertEquals(List.of(), monitor.history());
        assertEquals(new NodeCounts(2, 1, 0, 0, 1, Map.of("7", 1L), 0, 0, 0, LiveCounts.NONE), a.service().counts());
        assertEquals(List.of("a", "b"), monitor.examine().nodes().stream().map(NodeHealth::name).sorted().toList());
        try (TestClient client = new TestClient(b.address())) {
            assertEquals(List.of(job.id()), client.answer(client.requests().jobs()).stream().map(JobRecord::id).toList());
        }
    }

    @Test
    void shouldLetAnyNodeReadTheTraceAndTheReportOfAJobFromTheNodeThatCoordinatedIt() throws Exception {
        final ScriptedHost hostOfA = new ScriptedHost();
        final ScriptedHost hostOfB = new ScriptedHost();
        final TestNode a = new TestNode(Map.of(NodeProperties.NAME, "a"), dir.resolve("a"), hostOfA);
        final TestNode b = new TestNode(Map.of(NodeProperties.NAME, "b"), dir.resolve("b"), hostOfB);
        nodes.addAll(List.of(a, b));
        b.join(a);
        final RankTrace trace = new RankTrace(1, "b", List.of(new TracedCall("scan", "basic 1.0.0", "linear", "WORLD", 8)),
            Collections.nCopies(20_000, new TraceEvent(0, PlannedTask.Kind.SEND, 1, 2, 8, 4, 5L << 32, null, 100, 200, true)), 0);
        final byte[] content = "{\"x\":0}".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        final String id;
        try (TestClient client = new TestClient(b.address())) {
            id = client.launch(TestClient.run(2, 0, List.of()));
            final JobListener listener = hostOfA.next().listener();
            hostOfB.next();
            // the coordinator is b, and the part of a sends them over a link
            listener.traced(trace);
            listener.reported(new InterceptorReport("intercept.profile", "application/json", content));
            await().atMost(Duration.ofSeconds(60)).until(() -> a.service().measurements(id).kept().size() == 2);
            client.cancel();
            client.done();
        }
        final JobMeasurements found = a.service().measurements(id);
        assertEquals(found, b.service().measurements(id));
        assertEquals("[trace KEPT, intercept.profile KEPT]", found.kept().stream().map(k -> k.name() + " " + k.state()).toList().toString());
        assertEquals(List.of("b", "Main.java", 1), List.of(found.node(), found.program(), found.tracedRanks()));
        for (final TestNode node : List.of(a, b)) {
            final TracePieces pieces = new TracePieces();
            assertTrue(node.service().read(found, JobMeasurements.TRACE, pieces::addKept));
            assertEquals(List.of(trace), pieces.read());
            final ByteArrayOutputStream report = new ByteArrayOutputStream();
            assertTrue(node.service().read(found, "intercept.profile", report::writeBytes));
            assertArrayEquals(content, report.toByteArray());
            assertFalse(node.service().read(found, "intercept.other", report::writeBytes));
            assertNull(node.service().measurements("a-0-0000"));
        }
    }

    @Test
    void shouldSayThatAJobHasEndedBeforeItWasSaved() throws Exception {
        final ScriptedHost host = new ScriptedHost();
        final TestNode a = new TestNode("a", "127.0.0.1:0", dir.resolve("a"), host);
        nodes.add(a);
        try (TestClient client = new TestClient(a.address())) {
            final String id = client.launch(TestClient.run(1, 0, List.of()));
            final ScriptedHost.Job job = host.next();
            job.connected().complete(null);
            job.awaitStart();
            final FutureTask<Reply> saved = new FutureTask<>(() -> a.checkpoints().take(id, 60_000));
            Thread.ofVirtual().start(saved);
            assertEquals(1, job.pointWanted().get(60, TimeUnit.SECONDS));
            client.cancel();
            assertEquals(new Reply(ExitStatus.FAILED, "job " + id + " has ended before all its ranks reached a point"),
                saved.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldSaveAJobWhenItsRanksRunThatWasToBeSavedBefore() throws Exception {
        final ScriptedHost host = new ScriptedHost();
        final TestNode a = new TestNode("a", "127.0.0.1:0", dir.resolve("a"), host);
        nodes.add(a);
        try (TestClient client = new TestClient(a.address())) {
            final String id = client.launch(TestClient.run(1, 0, List.of()));
            final ScriptedHost.Job job = host.next();
            assertEquals("job " + id + " was not saved within 0.001 s: not all its ranks have reached a point, which is a call of Checkpoint.here;"
                + " it will be saved when they do", a.checkpoints().take(id, 1).text());
            assertFalse(job.pointWanted().isDone());
            job.connected().complete(null);
            assertEquals(1, job.pointWanted().get(60, TimeUnit.SECONDS));
            client.cancel();
        }
    }

    @Test
    void shouldReplyBeforeItStopsItsContainer() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        try (TestClient client = new TestClient(a.address())) {
            assertEquals("", client.answer(client.requests().stop(List.of("a"))));
            a.containerStopped().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldSayThatItsContainerCannotBeStopped() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        a.failToStopContainer();
        a.server().stop();
        log.assertLine("framework cannot be stopped: end its process");
        assertFalse(a.containerStopped().isDone());
    }

    @Test
    void shouldStopTheOtherNodesAndThenItself() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        final TestNode b = node("b", "127.0.0.1:0");
        b.join(a);
        try (TestClient client = new TestClient(a.address())) {
            assertEquals("", client.answer(client.requests().stop(List.of())));
        }
        b.containerStopped().get(60, TimeUnit.SECONDS);
        a.containerStopped().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldStopAnotherNodeAlone() throws Exception {
        final TestNode a = node("a", "127.0.0.1:0");
        final TestNode b = node("b", "127.0.0.1:0");
        b.join(a);
        try (TestClient client = new TestClient(a.address())) {
            assertEquals("", client.answer(client.requests().stop(List.of("b"))));
            b.containerStopped().get(60, TimeUnit.SECONDS);
            assertEquals("no such node: name=c; list them with: tutti nodes", client.refusal(client.requests().stop(List.of("c"))).getMessage());
        }
        assertFalse(a.containerStopped().isDone());
    }

    private TestNode node(final String name, final Map<String, String> properties) throws Exception {
        final Map<String, String> all = new HashMap<>(properties);
        all.put(NodeProperties.NAME, name);
        final TestNode node = new TestNode(all, dir.resolve(name), new ScriptedHost());
        nodes.add(node);
        return node;
    }

    private static List<String> members(final TestNode node) {
        return node.service().reports().stream().map(r -> r.node().name()).toList();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldStopTheNodeAloneInAContainerOfAnotherLauncher() throws Exception {
        final TestNode a = node("a", Map.of());
        try (TestClient client = new TestClient(a.address())) {
            assertEquals("", client.answer(client.requests().stop(List.of("a"))));
            a.nodeStopped().get(60, TimeUnit.SECONDS);
            client.awaitClosed();
        }
        assertFalse(a.containerStopped().isDone());
    }

    @Test
    void shouldJoinConfiguredNodesWhicheverStartsFirst() throws Exception {
        final String first = "127.0.0.1:" + freePort();
        final String second = "127.0.0.1:" + freePort();
        final String both = first + "," + second;
        final TestNode a = node("a", Map.of(NodeProperties.LISTEN, first, NodeProperties.JOIN, both));
        assertEquals(List.of("a"), members(a));
        final TestNode b = node("b", Map.of(NodeProperties.LISTEN, second, NodeProperties.JOIN, both));
        await().atMost(Duration.ofSeconds(60)).until(() -> members(a).equals(List.of("a", "b")) && members(b).equals(List.of("a", "b")));
    }

    @Test
    void shouldPublishWhatItWaitsForUntilItHasJoinedANodeThatStartsLater() throws Exception {
        final String first = "127.0.0.1:" + freePort();
        final TestNode b = node("b", Map.of(NodeProperties.JOIN, first));
        await().atMost(Duration.ofSeconds(60)).until(() -> b.property(NodeProperties.NOT_JOINED) != null);
        assertTrue(b.property(NodeProperties.NOT_JOINED).startsWith("node at " + first + ": no Tutti daemon answers at " + first),
            () -> b.property(NodeProperties.NOT_JOINED));
        assertNull(b.property(NodeProperties.JOINED));
        final TestNode a = node("a", Map.of(NodeProperties.LISTEN, first, NodeProperties.JOIN, first));
        assertEquals("true", a.property(NodeProperties.JOINED), "its own address is among those to join");
        await().atMost(Duration.ofSeconds(60)).until(() -> "true".equals(b.property(NodeProperties.JOINED)));
        assertEquals(List.of("a", "b"), members(b));
    }

    @Test
    void shouldPublishThatANodeToJoinRefusesIt() throws Exception {
        final String first = node("a", Map.of()).address().toString();
        final TestNode other = node("a", Map.of(NodeProperties.JOIN, first));
        await().atMost(Duration.ofSeconds(60)).until(() -> other.property(NodeProperties.REFUSED) != null);
        assertEquals("node at " + first + ": name is taken by this node: name=a; start it with another --name",
            other.property(NodeProperties.REFUSED));
    }

    @Test
    void shouldListenOnAFreePortOfARange() throws Exception {
        final int port = freePort();
        final Map<String, String> range = Map.of(NodeProperties.PORTS, port + "-" + (port + 20));
        final int first = node("a", range).address().port();
        final int second = node("b", range).address().port();
        assertTrue(port <= first && first < second && second <= port + 20, () -> first + ", " + second);
    }

    @Test
    void shouldJoinAConfiguredNodeAgainWhenItReturns() throws Exception {
        final String first = "127.0.0.1:" + freePort();
        final TestNode a = node("a", Map.of(NodeProperties.LISTEN, first));
        final TestNode b = node("b", Map.of(NodeProperties.JOIN, first));
        await().atMost(Duration.ofSeconds(60)).until(() -> members(b).equals(List.of("a", "b")));
        a.close();
        nodes.remove(a);
        await().atMost(Duration.ofSeconds(60)).until(() -> members(b).equals(List.of("b")));
        final TestNode again = node("a", Map.of(NodeProperties.LISTEN, first));
        await().atMost(Duration.ofSeconds(60)).until(() -> members(b).equals(List.of("a", "b")) && members(again).equals(List.of("a", "b")));
    }

    @Test
    void shouldAdvertiseAnotherAddressThanItsOwn() throws Exception {
        final TestNode a = node("a", Map.of(NodeProperties.LISTEN, "0.0.0.0:0", NodeProperties.ADVERTISE, "localhost"));
        assertEquals("localhost", a.address().host());
        assertTrue(a.address().port() > 0);
        final TestNode b = node("b", Map.of(NodeProperties.ADVERTISE, "localhost:7007"));
        assertEquals("localhost:7007", b.address().toString());
    }
}
