package tutti.daemon.membership.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tutti.daemon.membership.Membership;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.MembershipView;
import tutti.daemon.node.NodeInfo;

/** Network of nodes in one JVM, which can be cut and healed. */
final class PacketNetwork implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final MembershipSettings settings;
    /** All nodes that were made, also those that were killed. */
    private final List<Node> all = new ArrayList<>();
    private final Map<InetSocketAddress, Node> nodes = new ConcurrentHashMap<>();
    /** Names of the nodes that reach each other only; all do when it is empty. */
    private volatile Set<String> island = Set.of();
    /** Completes when the nodes continue that are stopped. */
    private volatile CompletableFuture<Void> continued = CompletableFuture.completedFuture(null);
    private volatile String stopped = "";

    PacketNetwork(final MembershipSettings settings) {
        this.settings = settings;
    }

    /** A node of the network, which records its views. */
    final class Node {
        private final NodeInfo first;
        private final InetSocketAddress address;
        private final ExecutorService arrivals = Executors.newSingleThreadExecutor(r -> Thread.ofVirtual().unstarted(r));
        private final List<String> lost = new CopyOnWriteArrayList<>();
        private final Membership membership;
        /** Shows that the process is there; accepts nothing. */
        private final ServerSocket process;

        private Node(final String name) throws IOException {
            process = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            first = new NodeInfo(name, "first-" + name, "127.0.0.1", process.getLocalPort(), 1, "25", 1, 0);
            address = first.address().socketAddress();
            membership = new JGroupsProvider().open(first, settings, (to, packet) -> send(this, to, packet), (view, gone) -> {
                gone.forEach(n -> lost.add(n.name()));
            });
            nodes.put(address, this);
        }

        NodeInfo info() {
            return first;
        }

        Membership membership() {
            return membership;
        }

        /** Returns the sorted names of the nodes in the view. */
        List<String> names() {
            return membership.view().names().stream().sorted().toList();
        }

        /** Returns the incarnations of the members in the order of their names. */
        List<String> incarnations() {
            final MembershipView view = membership.view();
            return view.members().stream().sorted(java.util.Comparator.comparing(NodeInfo::name)).map(NodeInfo::incarnation).toList();
        }

        List<String> lost() {
            return lost;
        }

        /** Ends as a killed process does: it sends and receives nothing any more, and its links are lost. */
        void kill() throws IOException {
            process.close();
            nodes.remove(address);
            nodes.values().forEach(n -> n.membership.suspect(address));
        }
    }

    Node node(final String name) throws IOException {
        final Node made = new Node(name);
        all.add(made);
        return made;
    }

    /** Waits until each of some nodes sees the nodes of these sorted names. */
    static void awaitViews(final List<Node> nodes, final String... names) {
        nodes.forEach(n -> await().atMost(LIMIT).untilAsserted(() -> assertEquals(List.of(names), n.names(), n.info().name())));
    }

    /** Creates a cluster of the nodes, each of which joins the first. */
    List<Node> cluster(final String... names) throws Exception {
        final List<Node> made = new ArrayList<>();
        for (final String name : names) {
            final Node node = node(name);
            if (!made.isEmpty()) {
                node.membership().join(List.of(made.getFirst().info()));
            }
            made.add(node);
        }
        awaitViews(made, names);
        return made;
    }

    private void send(final Node from, final InetSocketAddress to, final byte[] packet) {
        final Node node = nodes.get(to);
        if (node != null && nodes.containsValue(from) && island.contains(from.first.name()) == island.contains(node.first.name())) {
            final boolean waits = stopped.equals(node.first.name()) || stopped.equals(from.first.name());
            (waits ? continued : CompletableFuture.completedFuture(null))
                .thenRun(() -> node.arrivals.execute(() -> node.membership.received(packet)));
        }
    }

    /** Separates some nodes from the others. No node finds the process of another one any more. */
    void cut(final String... names) throws IOException {
        for (final Node node : all) {
            node.process.close();
        }
        island = Set.of(names);
    }

    /** Stops the process of a node: its packets and those to it wait. */
    void stop(final String name) {
        continued = new CompletableFuture<>();
        stopped = name;
    }

    /** Continues the node that was stopped. */
    void proceed() {
        stopped = "";
        continued.complete(null);
    }

    void heal() {
        island = Set.of();
    }

    @Override
    public void close() throws IOException {
        for (final Node node : all) {
            node.process.close();
            node.membership.leave();
            node.arrivals.close();
        }
    }
}
