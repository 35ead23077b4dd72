package tutti.daemon.membership.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.membership.MembershipSettings;

/** Tests of clusters of several nodes in one JVM, over a network that can be cut. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class JGroupsMembershipTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static void awaitViews(final List<PacketNetwork.Node> nodes, final String... names) {
        nodes.forEach(n -> await().atMost(LIMIT).untilAsserted(() -> assertEquals(List.of(names), n.names(), n.info().name())));
    }

    /** Creates a cluster of the nodes, each of which joins the first. */
    private static List<PacketNetwork.Node> cluster(final PacketNetwork network, final String... names) throws Exception {
        final List<PacketNetwork.Node> nodes = new ArrayList<>();
        for (final String name : names) {
            final PacketNetwork.Node node = network.node(name);
            if (!nodes.isEmpty()) {
                node.membership().join(nodes.getFirst().info());
            }
            nodes.add(node);
        }
        awaitViews(nodes, names);
        return nodes;
    }

    @Test
    void shouldBeAloneWithoutThreadsUntilAnotherNodeJoins() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final PacketNetwork.Node a = network.node("a");
            assertEquals(List.of("a"), a.names());
            assertTrue(threads().isEmpty(), () -> threads().toString());
            final PacketNetwork.Node b = network.node("b");
            b.membership().join(a.info());
            awaitViews(List.of(a, b), "a", "b");
            assertEquals(List.of("first-a", "first-b"), a.incarnations());
            assertEquals(a.membership().view().number(), b.membership().view().number());
        }
    }

    @RepeatedTest(10)
    void shouldBeginTheClusterThatAnotherNodeJoinsWhicheverHasTheFirstAddress() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = cluster(network, "a", "b");
            // a cluster of two that merged has another view
            for (final PacketNetwork.Node n : nodes) {
                assertEquals(1, n.membership().view().number());
                assertEquals(List.of("first-a", "first-b"), n.incarnations());
            }
        }
    }

    @Test
    void shouldExcludeAKilledNodeAndOneThatLeaves() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = cluster(network, "a", "b", "c", "d");
            nodes.getFirst().kill();
            awaitViews(nodes.subList(1, 4), "b", "c", "d");
            assertEquals(List.of("a"), nodes.get(2).lost());
            nodes.get(3).membership().leave();
            awaitViews(nodes.subList(1, 3), "b", "c");
        }
    }

    @Test
    void shouldGoOnInBothPartsOfACutClusterAndMakeOneOfThemWhenItHeals() throws Exception {
        try (PacketNetwork network = new PacketNetwork(new MembershipSettings(MembershipSettings.Discovery.LIST, "", 1_000))) {
            final List<PacketNetwork.Node> nodes = cluster(network, "a", "b", "c", "d");
            network.cut("c", "d");
            awaitViews(nodes.subList(0, 2), "a", "b");
            awaitViews(nodes.subList(2, 4), "c", "d");
            assertEquals(List.of("c", "d"), nodes.getFirst().lost().stream().sorted().toList());
            assertEquals(List.of("a", "b"), nodes.getLast().lost().stream().sorted().toList());
            network.heal();
            awaitViews(nodes, "a", "b", "c", "d");
            await().atMost(LIMIT).until(() -> nodes.stream().map(PacketNetwork.Node::incarnations).distinct().count() == 1);
            assertEquals(List.of("first-a", "first-b"), nodes.getLast().incarnations().subList(0, 2));
            assertNotEquals("first-c", nodes.getFirst().incarnations().get(2));
            assertNotEquals("first-d", nodes.getFirst().incarnations().get(3));
            assertEquals(2, nodes.getFirst().lost().size(), () -> nodes.getFirst().lost().toString());
            assertEquals(1, nodes.stream().map(n -> n.membership().view().number()).distinct().count());
        }
    }

    @Test
    void shouldMakeOneClusterOfTwo() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = new ArrayList<>(cluster(network, "a", "b"));
            nodes.addAll(cluster(network, "c", "d"));
            nodes.get(3).membership().join(nodes.get(1).info());
            awaitViews(nodes, "a", "b", "c", "d");
        }
    }

    @Test
    void shouldFindOtherNodesByFilesInASharedFolder(@TempDir final Path folder) throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.parse("file:" + folder, MembershipSettings.SILENCE_MILLIS))) {
            awaitViews(List.of(network.node("a"), network.node("b"), network.node("c")), "a", "b", "c");
        }
    }

    @Test
    void shouldEndAllThreadsWhenItLeaves() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            cluster(network, "a", "b", "c");
        }
        await().atMost(LIMIT).untilAsserted(() -> assertEquals(List.of(), threads()));
    }

    /** Returns the platform threads that are not the test's. */
    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(n -> n.contains("jgroups") || n.contains("tutti")
            || n.startsWith("Timer") || n.contains("TimeScheduler")).sorted().toList();
    }
}
