package tutti.daemon.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.LinkProbe;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.health.MachineExamination;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Transport;

/**
 * Examination of the nodes for {@code tutti doctor}: examines this one, its machine and whether packets of any size pass to the other nodes, and asks
 * the others what they find. Blocks while these answer. Safe for any thread.
 */
@Component(service = NodeExamination.class)
public final class NodeExamination {
    /** Longer than an examination takes. */
    private static final Duration LIMIT = Duration.ofSeconds(12);
    private static final int CONNECT_MILLIS = 1000;

    private final ListeningNode node;
    private final Cluster cluster;

    /** Creates the examination of a cluster's nodes. */
    @Activate
    public NodeExamination(@Reference(name = "node") final ListeningNode node, @Reference(name = "cluster") final Cluster cluster) {
        this.node = node;
        this.cluster = cluster;
    }

    /** Returns what all nodes find, and which nodes this one has seen lost. */
    ClusterHealth all() {
        final CompletableFuture<NodeHealth> own = CompletableFuture.supplyAsync(this::here, task -> Thread.ofVirtual().start(task));
        final List<String> members = others().stream().map(NodeInfo::name).toList();
        final Map<String, NodeHealth> answers = cluster.questions().askAll(NodeQuestions.class, NodeQuestions::examine, LIMIT);
        final List<NodeHealth> nodes = new ArrayList<>(answers.values());
        nodes.addFirst(own.join());
        return new ClusterHealth(nodes, members.stream().filter(m -> !answers.containsKey(m)).toList(),
            cluster.lost().stream().collect(Collectors.toMap(LostNode::name, LostNode::reason)));
    }

    private List<NodeInfo> others() {
        return cluster.nodes().stream().filter(n -> !n.name().equals(node.self().name())).toList();
    }

    /** Returns what this node finds. */
    NodeHealth here() {
        final NodeInfo self = node.self();
        final NodeHealth health = MachineExamination.of(self.name(), node.version(), self.cores(), node.settings().folder(),
            unreachable(node.control(), self, others()));
        return health.unreachable().isEmpty()
            ? health.with(cluster.links().ofSuccessor(cluster.nodes().stream().map(NodeInfo::name).sorted().toList()))
            : health;
    }

    /** Returns the nodes to which packets do not pass; all are tried at the same time. */
    private static Map<String, String> unreachable(final Transport transport, final NodeInfo self, final List<NodeInfo> others) {
        final Map<String, String> reasons = new ConcurrentHashMap<>();
        final List<Thread> tries = others.stream().map(node -> Thread.ofVirtual().name("tutti-examine").start(() -> {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(node.host(), node.port()), CONNECT_MILLIS);
            } catch (final IOException e) {
                reasons.put(node.name(), node.address() + ": " + Protocol.oneLine(e));
                return;
            }
            final String failure = LinkProbe.failure(transport, self, node);
            if (failure != null) {
                reasons.put(node.name(), node.address() + ": " + failure);
            }
        })).toList();
        for (final Thread t : tries) {
            try {
                t.join(LIMIT.minusSeconds(1));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return reasons;
    }
}
