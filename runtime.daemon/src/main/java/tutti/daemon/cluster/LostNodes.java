package tutti.daemon.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.node.NodeInfo;

/** The nodes that this one has seen lost, the last {@link #MOST} of them. Safe for any thread. */
final class LostNodes {
    /** Most nodes that are kept. */
    static final int MOST = 256;

    private final Map<String, LostNode> nodes = new TreeMap<>();

    /** Accepts a lost node and the reason. */
    synchronized void lost(final NodeInfo node, final String reason) {
        if (reason.equals(Cluster.LEFT)) {
            nodes.remove(node.name());
            return;
        }
        nodes.put(node.name(), new LostNode(node.name(), node.address().toString(), System.currentTimeMillis(), reason));
        if (nodes.size() > MOST) {
            nodes.values().stream().min(Comparator.comparingLong(LostNode::time)).ifPresent(n -> nodes.remove(n.name()));
        }
    }

    /** Returns those that have not come back, in the order of their names; forgets the others. */
    synchronized List<LostNode> without(final List<NodeInfo> present) {
        present.forEach(n -> nodes.remove(n.name()));
        return List.copyOf(nodes.values());
    }
}
