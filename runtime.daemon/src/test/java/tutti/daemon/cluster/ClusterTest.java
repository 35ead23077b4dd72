package tutti.daemon.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.jgroups.JGroupsProvider;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of clusters of several nodes in one JVM, over real sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ClusterTest {
    private final List<MinaTransport> transports = new ArrayList<>();
    private final List<Cluster> clusters = new ArrayList<>();
    private final List<NodeInfo> nodes = new ArrayList<>();
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();

    private Cluster node(final String name) throws IOException {
        return node(name, 0);
    }

    private Cluster node(final String name, final int port) throws IOException {
        final MinaTransport transport = new MinaTransport();
        final Cluster[] cluster = new Cluster[1];
        final Listener listener = transport.listen(new InetSocketAddress("127.0.0.1", port), (link, hello) -> {
            try {
                return cluster[0].accept(link, MessageCodec.read(hello.payload(), NodeHello.class).node(),
                    new ControlChannel.Memory(1 << 20, "none"));
            } catch (final RefusedException e) {
                throw e;
            } catch (final IOException e) {
                throw new RefusedException(e.getMessage());
            }
        });
        final NodeInfo self = new NodeInfo(name, name + transports.size(), "127.0.0.1", listener.address().getPort(), 1, "25", 1, transports.size());
        transports.add(transport);
        nodes.add(self);
        cluster[0] = new Cluster(self, transport, new JGroupsProvider(), MembershipSettings.DEFAULT);
        cluster[0].listen(new Cluster.Listener() {
            @Override
            public void lost(final NodeInfo other, final String reason) {
                lost.add(name + " lost " + other.name() + other.since());
            }
        });
        clusters.add(cluster[0]);
        return cluster[0];
    }

    @AfterEach
    void close() {
        clusters.forEach(Cluster::leave);
        transports.forEach(MinaTransport::close);
    }

    private static List<String> names(final Cluster cluster) {
        return cluster.nodes().stream().map(NodeInfo::name).sorted().toList();
    }

    @Test
    void shouldMakeAFullMeshOfNodesThatJoinThroughAnyMember() throws Exception {
        final List<Cluster> all = List.of(node("a"), node("b"), node("c"));
        all.get(1).join(nodes.get(0).address());
        all.get(2).join(nodes.get(1).address());
        for (final Cluster c : all) {
            await().atMost(Duration.ofSeconds(60)).until(() -> names(c).equals(List.of("a", "b", "c")));
            assertEquals(2, c.questions().askAll(MemberQuestions.class, n -> n.sees("a")).size());
        }
    }

    @Test
    void shouldRefuseANameThatIsTaken() throws Exception {
        final Cluster a = node("a");
        node("b").join(nodes.get(0).address());
        final RefusedException e = assertThrows(RefusedException.class, () -> node("b").join(nodes.get(0).address()));
        assertEquals("name is taken in this cluster: name=b; start it with another --name", e.getMessage());
        assertEquals(List.of("a", "b"), names(a));
    }

    @Test
    void shouldRefuseANodeWhenItHasLeft() throws Exception {
        node("a").leave();
        final IOException e = assertThrows(IOException.class, () -> node("b").join(nodes.get(0).address()));
        assertTrue(e.getMessage().contains("node a has left its cluster"), e.getMessage());
    }

    @Test
    void shouldNotifyAllWhenANodeIsLostAndWhenItLeaves() throws Exception {
        final Cluster a = node("a");
        final Cluster b = node("b");
        final Cluster c = node("c");
        b.join(nodes.get(0).address());
        c.join(nodes.get(0).address());
        transports.get(2).close();
        await().atMost(Duration.ofSeconds(60)).until(() -> lost.containsAll(List.of("a lost c2", "b lost c2")));
        b.leave();
        await().atMost(Duration.ofSeconds(60)).until(() -> lost.contains("a lost b1"));
        assertEquals(List.of("a"), names(a));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellANodeThatIsBackAtOnceFromTheOneThatWasLost(final boolean onSamePort) throws Exception {
        final Cluster a = node("a");
        node("b").join(nodes.get(0).address());
        transports.get(1).close();
        final Cluster back = node("b", onSamePort ? nodes.get(1).port() : 0);
        back.join(nodes.get(0).address());
        await().atMost(Duration.ofSeconds(60)).until(() -> lost.contains("a lost b1"));
        assertEquals(List.of("a", "b"), names(a));
        assertEquals(List.of("a", "b"), names(back));
        assertEquals(1, a.questions().askAll(MemberQuestions.class, n -> n.sees("a")).size());
        assertFalse(lost.contains("a lost b2"), lost::toString);
    }

    @Test
    void shouldKnowWhichNodesItHearsAndWhyNot() throws Exception {
        final Cluster a = node("a");
        node("b").join(nodes.get(0).address());
        await().atMost(Duration.ofSeconds(60)).until(() -> names(a).equals(List.of("a", "b")));
        assertNull(a.silence("b"));
        assertEquals("it has no link to node c", a.silence("c"));
        transports.get(1).close();
        await().atMost(Duration.ofSeconds(60)).until(() -> a.silence("b") != null);
        assertEquals("it has no link to node c", a.probe("c"));
    }

    @Test
    void shouldAskANodeThatIsLostWithoutWaitingForItsAnswer() throws Exception {
        final Cluster a = node("a");
        node("b").join(nodes.get(0).address());
        await().atMost(Duration.ofSeconds(60)).until(() -> names(a).equals(List.of("a", "b")));
        assertEquals("", a.questions().ask("b", MemberQuestions.class, n -> n.silence("a")));
        assertEquals("", a.questions().ask("a", MemberQuestions.class, n -> n.silence("b")));
        transports.get(1).close();
        assertNull(a.questions().ask("b", MemberQuestions.class, n -> n.silence("a")));
    }

    /** Question that a node never answers. */
    interface Riddles {
        CompletionStage<String> answer();
    }

    @Test
    void shouldLeaveOutANodeThatDoesNotAnswerInTimeAndWaitForItOtherwise() throws Exception {
        final Cluster a = node("a");
        final Cluster b = node("b");
        final AtomicInteger served = new AtomicInteger();
        b.questions().serve(Riddles.class, () -> {
            served.incrementAndGet();
            return new CompletableFuture<>();
        });
        b.join(nodes.get(0).address());
        await().atMost(Duration.ofSeconds(60)).until(() -> names(a).equals(List.of("a", "b")));
        assertEquals(Map.of(), a.questions().askAll(Riddles.class, Riddles::answer, Duration.ofMillis(50)));
        assertNull(a.questions().ask("b", Riddles.class, Riddles::answer, Duration.ofMillis(50)));
        final FutureTask<Map<String, String>> waiting = new FutureTask<>(() -> a.questions().askAll(Riddles.class, Riddles::answer));
        Thread.ofVirtual().start(waiting);
        assertEquals(Map.of("b", true), a.questions().askAll(MemberQuestions.class, n -> n.sees("a")));
        assertFalse(waiting.isDone());
        // the others wait until it is answered, or are withdrawn
        assertTrue(served.get() <= 1);
        transports.get(1).close();
        assertEquals(Map.of(), waiting.get(60, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @CsvSource({"a-1-00ff, a", "a-1-b-2-0, a-1-b", "no-such-job, ''", "'', ''", "a-1, ''", "-1-00, ''"})
    void shouldKnowTheNodeOfAJobByItsId(final String job, final String node) {
        assertEquals(node, ClusterJobs.nodeOf(job));
    }

    @Test
    void shouldSeeANodeThatLeavesAndIsBackAtOnce() throws Exception {
        final Cluster a = node("a");
        final Cluster b = node("b");
        b.join(nodes.get(0).address());
        b.leave();
        transports.get(1).close();
        node("b", nodes.get(1).port()).join(nodes.get(0).address());
        await().atMost(Duration.ofSeconds(60)).until(() -> names(a).equals(List.of("a", "b")));
        assertEquals(1, a.questions().askAll(MemberQuestions.class, n -> n.sees("a")).size());
    }
}
