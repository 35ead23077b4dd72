package tutti.daemon.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;

/**
 * A node's view of its cluster, for bundles in the node's container that show it. The node registers a service of this type while it listens, with
 * the properties {@link NodeProperties#NAME} and {@link NodeProperties#ADDRESS}. Reads only. Safe for any thread.
 */
public interface ClusterView {

    /** Returns the name of this node. */
    String name();

    /**
     * Returns the reports of all nodes, in name order; leaves out nodes that do not answer. Blocks, for 2 s at the most.
     *
     * @throws IllegalStateException when this node does not listen
     */
    List<NodeReport> reports();

    /** Returns the nodes that this one has seen lost and not come back, in the order of their names. */
    List<LostNode> lost();

    /** Returns what the ranks of a job do, a line each, as {@code tutti ps JOB --ranks} prints it; null when there is no such job. Blocks. */
    @Nullable
    String describeRanks(String job);

    /** Returns whether a token of the live page is the one of this node, which only who may observe the cluster gets. */
    boolean isPageToken(String token);
}
