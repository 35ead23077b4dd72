package tutti.daemon.modules;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of changes on another node, over real sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LocalChangeTest {
    private static final List<String> NODES = List.of("a");

    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    private final CompletableFuture<LocalChange> server = new CompletableFuture<>();
    private final Map<String, ChangeNode> nodes = new LinkedHashMap<>();
    private ChangeNode node;
    private Path bundle;
    private NodeInfo self;
    private ChangeParticipant coordinator;

    @BeforeEach
    void connect() throws Exception {
        node = new ChangeNode("a", dir, nodes);
        nodes.put("a", node);
        node.start();
        bundle = ChangeNode.bundle(dir, "1.0.0");
        final int port = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> ControlChannel.open(c -> {
            final LocalChange made = LocalChange.serve(c, node.store());
            server.complete(made);
            return made;
        }).attach(link)).address().getPort();
        self = new NodeInfo("a", "1", "127.0.0.1", port, 1, "25", 1, 0);
        coordinator = ChangeParticipant.link(self, self, transport);
    }

    @AfterEach
    void close() throws Exception {
        transport.close();
        node.close();
    }

    private static ModuleChange install(final ProgramFile file) {
        return new ModuleChange(ModuleChange.Kind.INSTALL, null, null, file, List.of(), false, false);
    }

    private CompletionStage<PreparedChange> prepare(final InputStream file) throws Exception {
        get(coordinator.target().reserve("a-1", false));
        return coordinator.target().prepare("a-1", NODES, install(ChangeNode.describe(bundle)), file);
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String failure(final CompletionStage<?> stage) {
        return ((CallFailedException) assertThrows(ExecutionException.class, () -> get(stage)).getCause()).getMessage();
    }

    private void assertNothingIsLeft() {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertNull(node.store().changes().unsettled());
            assertEquals(List.of(), node.versions());
            try (Stream<Path> files = Files.list(dir.resolve("a"))) {
                assertEquals(List.of(), files.filter(f -> !f.endsWith("modules.json")).toList());
            }
        });
    }

    @Test
    void shouldCarryOutAllStepsAndBeBusyUntilThen() throws Exception {
        final PreparedChange prepared = get(prepare(Files.newInputStream(bundle)));
        assertEquals("probe", prepared.module().name());
        assertEquals(List.of(), prepared.replaced());
        assertEquals(List.of(), node.versions());
        assertTrue(server.join().isLed());
        get(coordinator.target().commit());
        get(coordinator.target().finish());
        assertEquals(List.of("1.0.0"), node.versions());
        assertEquals(ChangePhase.FINISHED, node.store().phase("a-1"));
        await().atMost(Duration.ofSeconds(60)).until(() -> !server.join().isLed());
    }

    @Test
    void shouldRefuseStepsOfAChangeThatIsNotPrepared() throws Exception {
        assertFalse(server.join().isLed());
        assertEquals("the change is not prepared", failure(coordinator.target().commit()));
        assertEquals("the change is not prepared", failure(coordinator.target().finish()));
        assertEquals("the node is not reserved for the change", failure(coordinator.target().prepare("a-1", NODES,
            install(ChangeNode.describe(bundle)), Files.newInputStream(bundle))));
        get(coordinator.target().undo());
        assertEquals("the change was cancelled", failure(coordinator.target().prepare("a-1", NODES, install(ChangeNode.describe(bundle)),
            Files.newInputStream(bundle))));
        assertNothingIsLeft();
    }

    @Test
    void shouldReserveTheNodeForOneChangeAfterTheOther() throws Exception {
        get(coordinator.target().reserve("a-1", false));
        assertTrue(server.join().isLed());
        final ChangeParticipant second = ChangeParticipant.link(self, self, transport);
        final ChangeParticipant third = ChangeParticipant.link(self, self, transport);
        final CompletionStage<Void> gone = second.target().reserve("a-2", false);
        final CompletionStage<Void> waiting = third.target().reserve("a-3", false);
        second.close();
        assertFalse(gone.handle((v, e) -> e).toCompletableFuture().get(60, TimeUnit.SECONDS) instanceof CallFailedException);
        assertFalse(waiting.toCompletableFuture().isDone());
        coordinator.close();
        get(waiting);
        assertEquals(ChangePhase.LED, node.store().phase("a-3"));
    }

    @Test
    void shouldCancelAPreparationWhoseFileStillArrives() throws Exception {
        final byte[] bytes = Files.readAllBytes(bundle);
        final CountDownLatch isRead = new CountDownLatch(1);
        final CountDownLatch isUndone = new CountDownLatch(1);
        final CompletionStage<PreparedChange> prepared = prepare(new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(final byte[] to, final int offset, final int length) {
                isRead.countDown();
                try {
                    isUndone.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return super.read(to, offset, length);
            }
        });
        isRead.await();
        final CompletionStage<Void> undone = coordinator.target().undo();
        // the node has it before the file
        await().atMost(Duration.ofSeconds(60)).until(() -> server.join().isCancelled());
        isUndone.countDown();
        assertEquals("the change was cancelled", failure(prepared));
        get(undone);
        assertNothingIsLeft();
    }

    @Test
    void shouldRefuseAFileThatIsDamagedOrShort() throws Exception {
        final byte[] bytes = Files.readAllBytes(bundle);
        bytes[bytes.length / 2] ^= 1;
        final String damaged = failure(prepare(new ByteArrayInputStream(bytes)));
        assertTrue(damaged.startsWith("module cannot be stored: file=probe-1.0.0.jar, folder=" + dir.resolve("a"))
            && damaged.contains(", reason=program arrived damaged: file=probe-1.0.0.jar, sha256="), damaged);
        final String missing = failure(prepare(InputStream.nullInputStream()));
        assertTrue(missing.endsWith(", reason=program did not arrive whole: file=probe-1.0.0.jar, missing=" + bytes.length + " bytes"), missing);
        assertNothingIsLeft();
    }

    @Test
    void shouldLeaveAPreparedChangeToTheSettlementWhenTheLinkIsLost() throws Exception {
        get(prepare(Files.newInputStream(bundle)));
        assertEquals(ChangePhase.LED, node.store().phase("a-1"));
        coordinator.close();
        await().atMost(Duration.ofSeconds(60)).until(() -> node.store().phase("a-1") == ChangePhase.UNKNOWN);
        assertNothingIsLeft();
        assertFalse(coordinator.target().commit().toCompletableFuture().handle((v, e) -> e).get(60, TimeUnit.SECONDS) instanceof CallFailedException);
    }
}
