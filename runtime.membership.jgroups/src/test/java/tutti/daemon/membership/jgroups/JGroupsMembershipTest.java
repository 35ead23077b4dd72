package tutti.daemon.membership.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgroups.BytesMessage;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tutti.daemon.membership.MembershipSettings;
import tutti.runtime.process.LogLines;

/** Tests of clusters of several nodes in one JVM, over a network that can be cut. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class JGroupsMembershipTest {
    private static final Duration LIMIT = PacketNetwork.LIMIT;

    @RegisterExtension
    private final LogLines log = new LogLines(JGroupsMembership.class);
    @RegisterExtension
    private final LogLines silent = new LogLines(ProcessDetection.class);

    @Test
    void shouldIgnoreAndLogAMessageThatItDoesNotKnow() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final PacketNetwork.Node a = network.node("a");
            ((JGroupsMembership) a.membership()).receive(new BytesMessage(null, new byte[] {'?', 'x'}));
            log.assertLine("unknown message of a member: member=null, kind=?");
            assertEquals(List.of("a"), a.names());
        }
    }

    @Test
    void shouldSayThatItCannotFindOtherNodesWhenTheirFolderIsNone(@TempDir final Path folder) throws Exception {
        final Path file = Files.createFile(folder.resolve("file"));
        try (PacketNetwork network = new PacketNetwork(new MembershipSettings(MembershipSettings.Discovery.FILE, file.toString(), 1_000))) {
            final PacketNetwork.Node a = network.node("a");
            log.awaitLine("node a cannot find other nodes: membership cannot be opened: ");
            assertEquals(List.of("a"), a.names());
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @RepeatedTest(10)
    void shouldBeginTheClusterThatAnotherNodeJoinsWhicheverHasTheFirstAddress() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = network.cluster("a", "b");
            // a cluster of two that merged has another view
            for (final PacketNetwork.Node n : nodes) {
                assertEquals(1, n.membership().view().number());
                assertEquals(List.of("first-a", "first-b"), n.incarnations());
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @RepeatedTest(5)
    void shouldLetANodeInAtOnceThatJoinsThroughAnyMember() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = new ArrayList<>(network.cluster("a", "b"));
            final PacketNetwork.Node c = network.node("c");
            c.membership().join(List.of(nodes.get(1).info(), nodes.get(0).info()));
            nodes.add(c);
            PacketNetwork.awaitViews(nodes, "a", "b", "c");
            // a node that begins a cluster of its own before it finds the others is merged with them: it gets another incarnation
            for (final PacketNetwork.Node n : nodes) {
                assertEquals(2, n.membership().view().number());
                assertEquals(List.of("first-a", "first-b", "first-c"), n.incarnations());
            }
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldExcludeAKilledNodeAndOneThatLeaves() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = network.cluster("a", "b", "c", "d");
            nodes.getFirst().kill();
            PacketNetwork.awaitViews(nodes.subList(1, 4), "b", "c", "d");
            assertEquals(List.of("a"), nodes.get(2).lost());
            nodes.get(3).membership().leave();
            PacketNetwork.awaitViews(nodes.subList(1, 3), "b", "c");
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldGoOnInBothPartsOfACutClusterAndMakeOneOfThemWhenItHeals() throws Exception {
        try (PacketNetwork network = new PacketNetwork(new MembershipSettings(MembershipSettings.Discovery.LIST, "", 1_000))) {
            final List<PacketNetwork.Node> nodes = network.cluster("a", "b", "c", "d");
            network.cut("c", "d");
            PacketNetwork.awaitViews(nodes.subList(0, 2), "a", "b");
            PacketNetwork.awaitViews(nodes.subList(2, 4), "c", "d");
            assertEquals(List.of("c", "d"), nodes.getFirst().lost().stream().sorted().toList());
            assertEquals(List.of("a", "b"), nodes.getLast().lost().stream().sorted().toList());
            network.heal();
            PacketNetwork.awaitViews(nodes, "a", "b", "c", "d");
            await().atMost(LIMIT).until(() -> nodes.stream().map(PacketNetwork.Node::incarnations).distinct().count() == 1);
            assertEquals(List.of("first-a", "first-b"), nodes.getLast().incarnations().subList(0, 2));
            assertNotEquals("first-c", nodes.getFirst().incarnations().get(2));
            assertNotEquals("first-d", nodes.getFirst().incarnations().get(3));
            assertEquals(2, nodes.getFirst().lost().size(), () -> nodes.getFirst().lost().toString());
            assertEquals(1, nodes.stream().map(n -> n.membership().view().number()).distinct().count());
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepANodeThatIsStoppedAndLetAnotherOneJoinMeanwhile() throws Exception {
        try (PacketNetwork network = new PacketNetwork(new MembershipSettings(MembershipSettings.Discovery.LIST, "", 1_000))) {
            final List<PacketNetwork.Node> nodes = new ArrayList<>(network.cluster("a", "b", "c"));
            network.stop("c");
            silent.awaitLine("node c is silent, since it is busy or stopped, and is waited for: address=");
            final PacketNetwork.Node d = network.node("d");
            d.membership().join(List.of(nodes.getFirst().info()));
            nodes.add(d);
            PacketNetwork.awaitViews(List.of(nodes.get(0), nodes.get(1), d), "a", "b", "c", "d");
            network.proceed();
            PacketNetwork.awaitViews(nodes, "a", "b", "c", "d");
            for (final PacketNetwork.Node n : nodes) {
                assertEquals(List.of(), n.lost());
            }
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldMakeOneClusterOfTwo() throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.DEFAULT)) {
            final List<PacketNetwork.Node> nodes = new ArrayList<>(network.cluster("a", "b"));
            nodes.addAll(network.cluster("c", "d"));
            nodes.get(3).membership().join(List.of(nodes.get(1).info()));
            PacketNetwork.awaitViews(nodes, "a", "b", "c", "d");
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldFindOtherNodesByFilesInASharedFolder(@TempDir final Path folder) throws Exception {
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.parse("file:" + folder, MembershipSettings.SILENCE_MILLIS))) {
            PacketNetwork.awaitViews(List.of(network.node("a"), network.node("b"), network.node("c")), "a", "b", "c");
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldDeleteTheFileThatANodeOfTheSameNameHasLeftAndNoOther(@TempDir final Path folder) throws Exception {
        final Path files = Files.createDirectories(folder.resolve("tutti"));
        final Path left;
        try (PacketNetwork network = new PacketNetwork(MembershipSettings.parse("file:" + folder, MembershipSettings.SILENCE_MILLIS))) {
            final List<PacketNetwork.Node> nodes = List.of(network.node("a"));
            PacketNetwork.awaitViews(nodes, "a");
            await().atMost(Duration.ofSeconds(60)).until(() -> !lists(files).isEmpty());
            left = lists(files).getFirst();
            // a node that lives keeps its file
            DiscoveryFiles.open(folder, "tutti", "a").close();
            assertTrue(Files.exists(left));
        }
        // as after the end of a process that was killed
        Files.writeString(left, "");
        final Path other = Files.writeString(files.resolve(left.getFileName().toString().replace(".a.", ".b.a.")), "");
        DiscoveryFiles.open(folder, "tutti", "a").close();
        assertFalse(Files.exists(left), left::toString);
        assertTrue(Files.exists(other));
    }

    private static List<Path> lists(final Path folder) throws IOException {
        try (Stream<Path> written = Files.list(folder)) {
            return written.filter(f -> f.getFileName().toString().endsWith(".list")).toList();
        }
    }
}
