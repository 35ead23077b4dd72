package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Message;
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

    private Message answer(final Role role, final Message request, final Class<? extends Message> answer) throws Exception {
        try (TestClient client = new TestClient(node.address(), Protocol.VERSION, TestNode.SECRET.derive(role))) {
            client.channel().post(request);
            return client.recorder().nextMessage(answer);
        }
    }

    private void assertRefused(final Role role, final Message request, final String name, final Role needed) throws Exception {
        final String text =
            "not allowed: request=" + name + ", role=" + role + ", needed=" + needed + "; set TUTTI_SECRET to a file with the secret or "
                + "certificate for role " + needed;
        if (request instanceof Message.Run) {
            assertEquals(new Message.Done(ExitStatus.DENIED, text), answer(role, request, Message.Done.class));
        } else {
            assertEquals(new Message.Reply(ExitStatus.DENIED, text), answer(role, request, Message.Reply.class));
        }
    }

    @Test
    void shouldRefuseRequestsThatNeedAHigherRole() throws Exception {
        assertRefused(Role.OBSERVE, TestClient.run(1, 0, List.of()), "run", Role.RUN);
        assertRefused(Role.OBSERVE, new Message.CancelJob("a-1"), "canceljob", Role.RUN);
        assertRefused(Role.RUN, new Message.Change(CHANGE, false), "change", Role.CHANGE);
        assertRefused(Role.CHANGE, new Message.Join("127.0.0.1", 1), "join", Role.NODE);
        assertRefused(Role.CHANGE, new Message.Stop(null), "stop", Role.NODE);
        assertEquals(1, ((Message.ClusterState) answer(Role.OBSERVE, new Message.Describe(), Message.ClusterState.class)).nodes().size());
        assertTrue(((Message.Reply) answer(Role.RUN, new Message.CancelJob("a-1"), Message.Reply.class)).text().startsWith("no such job"));
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
