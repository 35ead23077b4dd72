package tutti.daemon.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.transport.Transport;

/**
 * What the links between the nodes of the cluster carry. The nodes of a job are asked in a ring: each measures its link to the next, all at the same
 * time, so every node sends and receives once. A node keeps what it has measured for ten minutes. Links on one machine are fast and not measured.
 * Safe for any thread.
 */
public final class ClusterLinks {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterLinks.class);
    private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Cluster cluster;
    private final Transport transport;
    private final Map<String, Measured> known = new ConcurrentHashMap<>();

    /** The link to a process of a node, as measured at a time. */
    private record Measured(NodeInfo to, LinkQuality quality, long at) {}

    /** @param transport opens links between nodes */
    ClusterLinks(final Cluster cluster, final Transport transport) {
        this.cluster = cluster;
        this.transport = transport;
    }

    /**
     * Returns the class of the slowest of some links between nodes, which connect all of them; one that is not measured in ten seconds does not
     * count. Blocks.
     */
    public LinkSpeed between(final List<NodeInfo> nodes) {
        if (nodes.size() < 2 || nodes.stream().allMatch(ClusterLinks::isHere)) {
            return LinkSpeed.FAST;
        }
        final List<String> names = nodes.stream().map(NodeInfo::name).toList();
        final CompletableFuture<LinkQuality> own = CompletableFuture.supplyAsync(() -> ofSuccessor(names), task -> Thread.ofVirtual().start(task));
        final List<@Nullable LinkQuality> all =
            new ArrayList<>(
                cluster.questions().askEach(names, MemberQuestions.class, n -> n.linkToSuccessor(names), ClusterQuestions.LOOK_LIMIT).values());
        all.add(own.join());
        LinkSpeed slowest = LinkSpeed.FAST;
        for (final LinkQuality link : all) {
            slowest = link == null ? slowest : slowest.slower(link.speed());
        }
        return slowest;
    }

    /** Returns the link to the node after this one; null when there is none, or it cannot be measured. Blocks. */
    @Nullable
    public LinkQuality ofSuccessor(final List<String> names) {
        final int here = names.indexOf(cluster.self().name());
        if (here < 0 || names.size() < 2) {
            return null;
        }
        final String next = names.get((here + 1) % names.size());
        return cluster.nodes().stream().filter(n -> n.name().equals(next)).findFirst().map(this::to).orElse(null);
    }

    private @Nullable LinkQuality to(final NodeInfo node) {
        if (isHere(node)) {
            return LinkQuality.onOneMachine(node.name());
        }
        final Measured before = known.get(node.name());
        if (before != null && before.to().isSameProcess(node) && System.nanoTime() - before.at() < VALID_NANOS) {
            return before.quality();
        }
        try {
            final LinkQuality now = LinkProbe.measure(transport, cluster.self(), node);
            known.put(node.name(), new Measured(node, now, System.nanoTime()));
            LOG.info("link to node {}: {} us there and back, {} MB/s, {}", node.name(), now.roundTripMicros(), now.bytesPerSecond() / 1_000_000,
                now.speed());
            return now;
        } catch (final IOException e) {
            LOG.debug("link to node {} cannot be measured", node.name(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    /** Returns whether a node is on this machine, by its address. */
    private static boolean isHere(final NodeInfo node) {
        final InetAddress address = node.address().socketAddress().getAddress();
        try {
            return address != null && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null);
        } catch (final IOException e) {
            LOG.debug("network interfaces cannot be read", e);
            return false;
        }
    }
}
