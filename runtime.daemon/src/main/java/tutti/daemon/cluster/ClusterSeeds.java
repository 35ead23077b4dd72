package tutti.daemon.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;

/**
 * Joins the nodes at configured addresses, on a thread of its own, and joins them again when they have gone and returned. The nodes may start in
 * any order.
 *
 * <p>The discovery of JGroups ({@code TCPPING} with these addresses) does not replace it: its packets get no answer from a node that refuses this one
 * for its secret, its name or its release, so nobody could say why a node does not join. It does not tell when a node of the list was joined, which
 * makes this one ready. Its channel would be opened at the start of each node, which then waits for answers, also where there is nobody yet.
 */
public final class ClusterSeeds implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterSeeds.class);
    private static final long PERIOD_MILLIS = 500;

    private final List<HostPort> addresses;
    private final Cluster cluster;
    private final Joiner joiner;
    /** Names of the nodes that were found at the addresses. */
    private final Map<HostPort, String> found = new HashMap<>();
    /** The last failure at each address, which is logged once. */
    private final Map<HostPort, String> failures = new HashMap<>();
    private final Thread thread;

    /** Joins a cluster. */
    public interface Joiner {
        /** Joins the cluster of the node at that address, and returns that node. Blocks. */
        NodeInfo join(HostPort address) throws IOException;

        /** Notifies of each attempt that failed. */
        void failed(HostPort address, Exception failure);
    }

    /**
     * Starts to join.
     *
     * @param addresses the addresses, without the node's own one
     * @param cluster   the cluster of this node
     */
    public ClusterSeeds(final List<HostPort> addresses, final Cluster cluster, final Joiner joiner) {
        this.addresses = List.copyOf(addresses);
        this.cluster = cluster;
        this.joiner = joiner;
        this.thread = Thread.ofPlatform().daemon().name("tutti-join").unstarted(this::run);
        if (!addresses.isEmpty()) {
            thread.start();
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                missing().forEach(this::join);
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (final InterruptedException e) {
            LOG.debug("node stops to join others", e);
        }
    }

    /** Returns the addresses whose nodes are not members. */
    private List<HostPort> missing() {
        final List<NodeInfo> now = cluster.nodes();
        final List<HostPort> missing = new ArrayList<>(addresses);
        missing.removeIf(a -> now.stream().anyMatch(m -> m.address().equals(a) || m.name().equals(found.get(a))));
        return missing;
    }

    private void join(final HostPort address) {
        if (thread.isInterrupted()) {
            return;
        }
        try {
            found.put(address, joiner.join(address).name());
            failures.remove(address);
        } catch (final IOException | RuntimeException e) {
            joiner.failed(address, e);
            final String failure = Protocol.oneLine(e);
            if (!failure.equals(failures.put(address, failure))) {
                LOG.info("node at {} is not joined yet: {}", address, failure);
            }
        }
    }

    /** Stops to join; does not wait for an attempt that is being made. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
