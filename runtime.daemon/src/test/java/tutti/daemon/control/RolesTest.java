package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of who may do what on a node. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RolesTest {
    private static final ModuleChange CHANGE = new ModuleChange(ModuleChange.Kind.UNINSTALL, "ring", "1.0.0", null, List.of(), true, false);

    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    private TestNode node;

    @BeforeEach
    void start() throws IOException {
        node = new TestNode("a", Files.createDirectories(dir.resolve("a")), new ScriptedHost());
    }

    @AfterEach
    void stop() {
        transport.close();
        node.close();
    }

    private TestClient client(final Role role) throws IOException {
        return new TestClient(node.address(), Protocol.VERSION, TestNode.SECRET.derive(role));
    }

    private static String refusal(final String name, final Role role, final Role needed) {
        return "not allowed: request=" + name + ", role=" + role + ", needed=" + needed + "; set TUTTI_SECRET to a file with the secret or "
            + "certificate for role " + needed;
    }

    private void assertRefused(final Role role, final Function<ClusterRequests, CompletionStage<String>> request, final String name,
        final Role needed)
        throws IOException {
        try (TestClient client = client(role)) {
            final CallFailedException e = client.refusal(request.apply(client.requests()));
            assertEquals(refusal(name, role, needed), e.getMessage());
            assertEquals(ExitStatus.DENIED, e.status());
        }
    }

    @Test
    void shouldRefuseRequestsThatNeedAHigherRole() throws Exception {
        assertRefused(Role.OBSERVE, r -> r.cancel("a-1"), "cancel", Role.RUN);
        assertRefused(Role.OBSERVE, r -> r.pageFor(Role.RUN), "page", Role.RUN);
        assertRefused(Role.RUN, r -> r.change(CHANGE, false, InputStream.nullInputStream()), "change", Role.CHANGE);
        assertRefused(Role.CHANGE, r -> r.join(new HostPort("127.0.0.1", 1)), "join", Role.NODE);
        assertRefused(Role.CHANGE, r -> r.stop(List.of()), "stop", Role.NODE);
        try (TestClient observer = client(Role.OBSERVE); TestClient runner = client(Role.RUN)) {
            observer.request(TestClient.run(1, 0, List.of()), InputStream.nullInputStream());
            final CallFailedException denied = observer.refusedRun();
            assertEquals(ExitStatus.DENIED, denied.status());
            assertEquals(refusal("run", Role.OBSERVE, Role.RUN), denied.getMessage());
            assertEquals(1, observer.answer(observer.requests().nodes()).size());
            assertTrue(runner.refusal(runner.requests().cancel("a-1")).getMessage().startsWith("no such job"));
        }
    }

    @Test
    void shouldRefuseAStrangerThatSaysItIsANode() throws IOException {
        final byte[] ghost = MessageCodec.write(new NodeHello(Protocol.VERSION, new NodeInfo("ghost", "1", "127.0.0.1", 1, 1, "25", 1, 0), null));
        for (final String purpose : List.of(Protocol.NODE, Protocol.CHANGE, Protocol.CHECKPOINT)) {
            assertTrue(refusal(null, new Hello(purpose, ghost)).contains("no secret was given"));
            assertTrue(refusal(ClusterSecret.random(), new Hello(purpose, ghost)).contains("the secret is not that of this cluster"));
            assertEquals("a node needs the secret for role node, that of node ghost is for role change",
                refusal(TestNode.SECRET.derive(Role.CHANGE), new Hello(purpose, ghost)));
        }
        assertEquals(1, node.service().reports().size());
    }

    private String refusal(final ClusterSecret secret, final Hello hello) {
        final ControlChannel channel = ControlChannel.open(c -> new Recorder());
        return assertThrows(RefusedException.class,
            () -> (secret == null ? transport : secret.over(transport)).connect(node.address().socketAddress(), hello, channel,
                Duration.ofSeconds(60)))
            .getMessage();
    }

    @Test
    void shouldNotListenBeyondLoopbackWithoutASecretUnlessThatIsSaid() throws IOException {
        final Path folder = Files.createDirectories(dir.resolve("b"));
        final Map<String, String> open = Map.of(NodeProperties.NAME, "b", NodeProperties.LISTEN, "0.0.0.0:0", NodeProperties.SECRET, "none",
            NodeProperties.STOP, "framework");
        try (TestNode refused = new TestNode(open, folder, new ScriptedHost())) {
            assertTrue(refused.property(NodeProperties.FAILURE).startsWith("a node that listens beyond loopback needs a secret: "),
                () -> refused.property(NodeProperties.FAILURE));
        }
        final Map<String, String> insecure = new HashMap<>(open);
        insecure.put(NodeProperties.INSECURE, "true");
        try (TestNode accepted = new TestNode(insecure, folder, new ScriptedHost())) {
            assertEquals(List.of("everybody who reaches it may do everything, tutti.node.secret=none; make a secret with: tutti secure init"),
                accepted.service().reports().getFirst().warnings());
        }
        assertEquals(List.of(), node.service().reports().getFirst().warnings());
    }

    @Test
    void shouldRefuseToBeANodeByTheSecretOfALowerRole() throws IOException {
        final Path file = dir.resolve("run.secret");
        TestNode.SECRET.derive(Role.RUN).write(file);
        try (TestNode refused = new TestNode(Map.of(NodeProperties.NAME, "b", NodeProperties.SECRET, file.toString(), NodeProperties.STOP,
            "framework"), Files.createDirectories(dir.resolve("b")), new ScriptedHost())) {
            assertEquals("a node needs the secret for role node, this one is for role run: file=" + file, refused.property(NodeProperties.FAILURE));
        }
    }
}
