package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.MemberQuestions;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.jgroups.JGroupsProvider;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.daemon.part.JobNode;
import tutti.daemon.part.JobPart;
import tutti.daemon.part.PartListener;
import tutti.daemon.part.Preparation;
import tutti.daemon.part.PreparedPart;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.HelloVerifier;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.process.LogLines;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of a daemon whose jobs have parts on a node that violates the protocol, played by the test, and of clients that violate it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OddNodeTest {
    @TempDir
    private Path dir;
    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon");
    private final MinaTransport transport = new MinaTransport();
    private final BlockingQueue<OddPart> parts = new ArrayBlockingQueue<>(8);
    private final ScriptedHost host = new ScriptedHost();
    private volatile String refusal;
    private TestNode node;
    private volatile Cluster odd;
    private TestClient client;

    @BeforeEach
    void start() throws Exception {
        node = new TestNode("a", dir, host);
        client = new TestClient(node.address());
        final int port = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> accept(hello, link)).address().getPort();
        odd = new Cluster(new NodeInfo("odd", "1", "127.0.0.1", port, 1, "25", 1, 0), TestNode.SECRET.over(transport),
            new JGroupsProvider(), MembershipSettings.DEFAULT);
        odd.join(node.address());
        assertEquals(List.of("odd", "a"), odd.nodes().stream().map(NodeInfo::name).toList());
    }

    private LinkHandler accept(final Hello hello, final Link link) throws RefusedException {
        try {
            final NodeHello from = MessageCodec.read(
                new HelloVerifier(TestNode.SECRET).verify(hello, Set.of(odd.self().port())).hello().payload(), NodeHello.class);
            return from.place() == null ? odd.accept(link, from.node(), new ControlChannel.Memory(1 << 20, "none")) : part(link);
        } catch (final RefusedException e) {
            throw e;
        } catch (final IOException e) {
            throw new RefusedException(e.getMessage());
        }
    }

    private LinkHandler part(final Link link) throws RefusedException {
        if (refusal != null) {
            throw new RefusedException(refusal);
        }
        final OddPart part = new OddPart();
        part.channel.attach(link);
        parts.add(part);
        return part.channel;
    }

    /** Part of a job whose steps the test takes. */
    private static final class OddPart implements JobNode, JobPart {
        private final BlockingQueue<Preparation> prepared = new ArrayBlockingQueue<>(8);
        private final CompletableFuture<String> cancelled = new CompletableFuture<>();
        private final BytePipe output = new BytePipe(1 << 16);
        private final Recorder recorder = new Recorder();
        private final ControlChannel channel = ControlChannel.open(c -> {
            c.conversation().serve(JobNode.class, this).serve(JobPart.class, this);
            return recorder;
        });
        private final PartListener coordinator = channel.conversation().peer(PartListener.class);

        @Override
        public CompletionStage<PreparedPart> prepare(final Preparation order, final InputStream files) {
            prepared.add(order);
            coordinator.output(output);
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> connect(final AgreedJob job) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> startSpare(final Replacement place, final List<NodeEndpoints> linked) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void start() {
            // the test does not get so far
        }

        @Override
        public void cancel(final String reason) {
            cancelled.complete(reason);
        }

        @Override
        public void lose(final List<Integer> ranks, final String reason) {
            // it has none
        }

        @Override
        public void endSpawned(final String reason) {
            // it has none
        }

        @Override
        public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
            return CompletableFuture.completedStage(List.of());
        }

        @Override
        public CompletionStage<Long> lastPoint() {
            return CompletableFuture.completedStage(0L);
        }

        @Override
        public void checkpointAt(final long point) {
            // it has none
        }

        @Override
        public CompletionStage<Catalogue> lease(final int change) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> agree(final int change, final AgreedModules agreement) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<Void> change(final int change) {
            return new CompletableFuture<>();
        }

        @Override
        public void abandon(final int change) {
            // it has leased nothing
        }

        void awaitCancelled() throws Exception {
            cancelled.get(60, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void stop() {
        client.close();
        odd.leave();
        transport.close();
        node.close();
    }

    /** Launches a job of two ranks and returns the part that the test plays. */
    private OddPart launch() throws InterruptedException {
        client.launch(TestClient.run(2, 0, List.of()));
        final OddPart part = parts.poll(60, TimeUnit.SECONDS);
        assertNotNull(part);
        final Preparation order = part.prepared.poll(60, TimeUnit.SECONDS);
        assertNotNull(order);
        assertEquals(1, order.self());
        return part;
    }

    private void releases() throws Exception {
        host.next().cancelled().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldReleaseTheOthersAndNameTheNodeThatRefusesItsPart() throws Exception {
        refusal = "node is still starting";
        client.launch(TestClient.run(2, 0, List.of()));
        final JobEnd done = client.done();
        assertEquals(3, done.status());
        assertTrue(done.text().matches("node odd \\(127.0.0.1:\\d+\\) cannot be reached: .*node is still starting"), done.text());
        releases();
    }

    @Test
    void shouldReleaseTheOthersAndNameTheLinkThatIsLostWhileItPrepares() throws Exception {
        launch().channel.close();
        final JobEnd done = client.done();
        assertEquals(3, done.status());
        assertTrue(done.text().startsWith("the link between nodes a and odd was lost: node a: peer closed the link: "), done.text());
        releases();
    }

    @Test
    void shouldReleaseTheOthersAndTellThePartToEndWhoseOutputCannotBeRead() throws Exception {
        final OddPart part = launch();
        part.output.add(new byte[] {99, 0, 0, 0, 0, 0, 0, 0, 0});
        assertEquals(new JobEnd(3, "node odd: not output of a job: kind=99, rank=0, length=0"), client.done());
        releases();
    }

    @Test
    void shouldCloseTheLinkOfThePartThatSendsGarbage() throws Exception {
        interface Tea {
            void brew(int cups);
        }

        final OddPart part = launch();
        part.channel.conversation().peer(Tea.class).brew(1);
        part.recorder.awaitClosed();
        final JobEnd done = client.done();
        assertEquals(3, done.status());
        assertTrue(done.text().startsWith("the link between nodes a and odd was lost: node a: unexpected message: Tea.brew; "), done.text());
        releases();
    }

    @Tag("nightly")
    @Test
    void shouldNotWaitForEverForAPartThatDoesNotEnd() throws Exception {
        final OddPart part = launch();
        part.output.add(OutputPiece.of(OutputPiece.Kind.RANK_ENDED, 1, new RankOutcome(RankOutcome.Kind.FAILED, 4, "bang")).framed());
        part.awaitCancelled();
        assertEquals(new JobEnd(4, "rank 1 on node odd failed: bang"), client.done());
        part.recorder.awaitClosed();
        releases();
        assertTrue(log.lines().stream().anyMatch(l -> l.matches("job a-\\S+: parts did not end within PT6S")), log.lines()::toString);
    }

    @Test
    void shouldRefuseQuestionsWhoseArgumentsCannotBeRead() throws Exception {
        interface ModuleQuestions {
            CompletionStage<Boolean> retire(String modules);

            CompletionStage<Boolean> quarantined(int changed);
        }

        assertEquals(Map.of(), odd.questions().askAll(ModuleQuestions.class, n -> n.retire("[{")));
        assertEquals(Map.of(), odd.questions().askAll(ModuleQuestions.class, n -> n.quarantined(1)));
        assertEquals(Map.of("a", true), odd.questions().askAll(MemberQuestions.class, n -> n.sees("odd")));
    }

    @Test
    void shouldAcceptReportsOfAPartAboutUnknownNodes() throws Exception {
        final OddPart part = launch();
        part.coordinator.nodeLost(Integer.MIN_VALUE, "silence");
        part.awaitCancelled();
        client.disconnect();
        releases();
    }

    @Test
    void shouldCloseTheLinkOfAClientThatSendsNoticesOfANode() throws Exception {
        client.channel().conversation().peer(PartListener.class).nodeLost(1, "");
        client.awaitClosed();
        assertTrue(host.isEmpty());
    }

    @Test
    void shouldIgnoreTheCancelOfAClientWithoutAJob() throws Exception {
        client.cancel();
        final CallFailedException e = client.refusal(client.requests().stop(List.of("nobody")));
        assertEquals(1, e.status());
        assertEquals("no such node: name=nobody; list them with: tutti nodes", e.getMessage());
    }

    @Test
    void shouldAnswerInvalidRequestsOfAClient() throws Exception {
        interface ClusterRequests {
            CompletionStage<String> join(Map<String, Object> cluster);

            CompletionStage<String> cancel(String job);
        }

        final ClusterRequests odd = client.channel().conversation().peer(ClusterRequests.class);
        for (final CompletionStage<String> request : List.of(odd.join(Map.of("host", "127.0.0.1", "port", -1)), odd.join(Map.of("port", 1)),
            odd.cancel(null), client.requests().join(new HostPort("127.0.0.1", closedPort())))) {
            final CallFailedException e = client.refusal(request);
            assertFalse(e.status() == 0 || e.getMessage().isBlank(), e::getMessage);
        }
    }

    private static int closedPort() throws IOException {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldOmitFromTheStateANodeThatDoesNotAnswer() throws Exception {
        assertEquals(List.of("a"), client.answer(client.requests().nodes()).stream().map(r -> r.node().name()).toList());
    }

    @Test
    void shouldRefuseLinksForAnUnknownPurpose() {
        final HostPort address = node.address();
        final ControlChannel made = ControlChannel.open(c -> new Recorder());
        for (final Map.Entry<String, String> hello : Map.of("tea", "unknown purpose: tea", Protocol.CLIENT, "bad hello: ").entrySet()) {
            final IOException e =
                org.junit.jupiter.api.Assertions.assertThrows(RefusedException.class, () -> TestNode.SECRET.over(transport).connect(
                    address.socketAddress(), new Hello(hello.getKey(), "{".getBytes(StandardCharsets.UTF_8)), made, Duration.ofSeconds(60)));
            assertTrue(e.getMessage().contains(hello.getValue()), e.getMessage());
        }
    }
}
