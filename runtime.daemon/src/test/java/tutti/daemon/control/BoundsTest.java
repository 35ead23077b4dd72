package tutti.daemon.control;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.JobNode;
import tutti.daemon.part.Preparation;
import tutti.daemon.part.PreparedPart;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests the bounds of what commands and nodes may take of a node, and what its refusals say. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BoundsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ScriptedHost host = new ScriptedHost();
    private final MinaTransport transport = new MinaTransport();
    private final List<TestClient> clients = new ArrayList<>();
    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon");
    private TestNode node;

    @TempDir
    private Path dir;

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        transport.close();
        node.close();
    }

    private void start(final Map<String, String> properties) throws IOException {
        final Map<String, String> all = new HashMap<>(properties);
        all.put(NodeProperties.NAME, "a");
        node = new TestNode(all, dir.resolve("a"), host);
    }

    private TestClient client() throws IOException {
        final TestClient made = new TestClient(node.address());
        clients.add(made);
        return made;
    }

    /** Opens a link of a node that is no member. */
    private ControlChannel link(final String purpose, final String job, final Recorder recorder) throws IOException {
        final NodeInfo stranger = new NodeInfo("b", "1", "127.0.0.1", 9, 1, "25", 1, 0);
        final ControlChannel channel = ControlChannel.open(c -> recorder);
        return channel.attach(TestNode.SECRET.over(transport).connect(node.address().socketAddress(),
            new Hello(purpose, MessageCodec.write(new NodeHello(Protocol.VERSION, stranger, job))), channel, LIMIT));
    }

    private List<String> logged(final String start) {
        return log.lines().stream().filter(m -> m.startsWith(start)).toList();
    }

    private String awaitLogged(final String start) {
        return await().atMost(LIMIT).until(() -> logged(start), lines -> !lines.isEmpty()).getFirst();
    }

    private static String refusal(final Executable code) {
        return assertThrows(RefusedException.class, code).getMessage();
    }

    @Test
    void shouldRefuseMoreCommandsThanThreeQuartersOfItsConnectionsAndTakeNodesBeside() throws Exception {
        start(Map.of(NodeProperties.CONNECTIONS, "4"));
        for (int i = 0; i < 3; i++) {
            client();
        }
        final String refused =
            "too many connections: node=a, commands=3, limit=tutti.node.connections*3/4; try again later, or raise the limit in the "
                + "node's configuration";
        assertEquals(refused, refusal(this::client));
        assertEquals(refused, refusal(this::client));
        link(Protocol.CHANGE, null, new Recorder());
        assertEquals(refused.replace("commands=3, limit=tutti.node.connections*3/4", "connections=4, limit=tutti.node.connections"),
            refusal(() -> link(Protocol.NODE, "job", new Recorder())));
        assertEquals(1, logged("links refused: links=1, last=127.0.0.1:").size(), () -> logged("").toString());
        clients.removeFirst().close();
        await().atMost(LIMIT).until(() -> client() != null, admitted -> admitted);
    }

    @Test
    void shouldCloseTheLinkOfACommandThatAsksNothingAndKeepOneWithAJob() throws Exception {
        start(Map.of(NodeProperties.IDLE, "300"));
        final TestClient working = client();
        working.launch(TestClient.run(1, 0, List.of()));
        final ScriptedHost.Job job = host.next();
        client().awaitClosed();
        client().awaitClosed();
        awaitLogged("links closed on which");
        assertEquals(1, logged("links closed on which nothing happened: links=1, last=127.0.0.1:").size(), () -> logged("").toString());
        assertTrue(awaitLogged("links closed").endsWith("of commands, millis=300, limit=tutti.node.idle"), () -> logged("").toString());
        assertTrue(working.isOpen());
        working.cancel();
        job.cancelled().get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {Protocol.NODE, Protocol.CHANGE, "job"})
    void shouldCloseTheLinkOfANodeThatSaysNothingAndIsNoMember(final String purpose) throws Exception {
        start(Map.of(NodeProperties.IDLE, "300"));
        final Recorder silent = new Recorder();
        link(purpose.equals(Protocol.CHANGE) ? purpose : Protocol.NODE, purpose.equals("job") ? "b-1-x" : null, silent);
        silent.awaitClosed();
    }

    @Test
    void shouldKeepTheLinksOfMembersThatAreSilent() throws Exception {
        start(Map.of(NodeProperties.IDLE, "100"));
        try (TestNode other = new TestNode(Map.of(NodeProperties.NAME, "c", NodeProperties.IDLE, "100"), dir.resolve("c"), new ScriptedHost())) {
            other.join(node);
            client().awaitClosed();
            client().awaitClosed();
            assertEquals(List.of("a", "c"), node.service().reports().stream().map(r -> r.node().name()).toList());
            assertEquals(List.of(), logged("node c is lost"));
        }
    }

    @Test
    void shouldRefuseMoreJobsThanItsLimit() throws Exception {
        start(Map.of(NodeProperties.JOBS, "1"));
        final TestClient first = client();
        first.launch(TestClient.run(1, 0, List.of()));
        final ScriptedHost.Job job = host.next();
        final TestClient second = client();
        second.request(TestClient.run(1, 0, List.of()), InputStream.nullInputStream());
        final String refused = "too many jobs: node=a, jobs=1, limit=tutti.node.jobs; wait until some have ended, or raise the limit in the node's "
            + "configuration";
        final CallFailedException refusal = second.refusedRun();
        assertEquals(refused, refusal.getMessage());
        assertEquals(1, refusal.status());
        final ControlChannel part = link(Protocol.NODE, "b-1-x", new Recorder());
        final CallFailedException failed = second.refusal(part.conversation().peer(JobNode.class).prepare(prepare(), InputStream.nullInputStream()));
        assertEquals(refused, failed.getMessage());
        assertEquals(1, logged("jobs refused: refused=1").size());
        first.cancel();
        job.cancelled().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldCloseTheLinkWhosePiecesOfMessagesTakeTooMuchMemory() throws Exception {
        start(Map.of(NodeProperties.MESSAGES, "1000000"));
        final TestClient greedy = client();
        greedy.requests().cancel("x".repeat(3_000_000));
        greedy.awaitClosed();
        final String expected =
            "links closed for what they received: links=1, last=127\\.0\\.0\\.1:\\d+ of commands, reason=too many bytes of messages "
                + "that are not complete or not read: bytes=\\d+, max=1000000, limit=tutti\\.node\\.messages";
        assertTrue(awaitLogged("links closed").matches(expected), () -> logged("").toString());
        // what it held is free
        final TestClient modest = client();
        modest.refusal(modest.requests().cancel("x".repeat(1_900_000)));
    }

    @Test
    void shouldCloseTheLinkOfACommandThatAsksWithoutWaiting() throws Exception {
        start(Map.of());
        final TestClient hasty = client();
        for (int i = 0; i < 200; i++) {
            hasty.requests().change(new ModuleChange(ModuleChange.Kind.INSTALL, null, null,
                new ProgramFile("m.jar", 1, "0".repeat(64)), List.of(), true, false), false, new InputStream() {
                    @Override
                    public int read() {
                        LockSupport.park();
                        return 0;
                    }
                });
        }
        hasty.awaitClosed();
        assertTrue(awaitLogged("links closed").contains("too many calls at once: max=16"), () -> logged("").toString());
    }

    private static Preparation prepare() {
        return new Preparation("b-1-x", new byte[32], List.of("tcp"), List.of("b", "a"), List.of(0, 1), 1, List.of(), List.of(), null, Map.of(), null,
            null,
            null);
    }

    @Test
    void shouldRefuseTheSecondPartOfALink() throws Exception {
        start(Map.of());
        final ControlChannel link = link(Protocol.NODE, "b-1-x", new Recorder());
        final JobNode a = link.conversation().peer(JobNode.class);
        final CompletionStage<PreparedPart> first = a.prepare(prepare(), InputStream.nullInputStream());
        final CallFailedException refused = client().refusal(a.prepare(prepare(), InputStream.nullInputStream()));
        assertEquals("a link has one part of a job", refused.getMessage());
        client().answer(first.handle((part, e) -> true));
        link.close();
        await().atMost(LIMIT).until(() -> !Files.exists(node.folder().resolve("part-1")));
    }
}
