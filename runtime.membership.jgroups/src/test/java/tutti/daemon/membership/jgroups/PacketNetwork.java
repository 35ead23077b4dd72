package tutti.daemon.membership.jgroups;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

        private Node(final String name, final int port) {
            first = new NodeInfo(name, "first-" + name, "127.0.0.1", port, 1, "25", 1, 0);
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
        void kill() {
            nodes.remove(address);
            nodes.values().forEach(n -> n.membership.suspect(address));
        }
    }

    Node node(final String name) {
        final Node made = new Node(name, 20_001 + nodes.size());
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
            node.arrivals.execute(() -> node.membership.received(packet));
        }
    }

    /** Separates some nodes from the others. */
    void cut(final String... names) {
        island = Set.of(names);
    }

    void heal() {
        island = Set.of();
    }

    @Override
    public void close() {
        for (final Node node : all) {
            node.membership.leave();
            node.arrivals.close();
        }
    }
}
