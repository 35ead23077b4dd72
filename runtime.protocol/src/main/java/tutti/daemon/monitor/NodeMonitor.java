package tutti.daemon.monitor;

import java.io.IOException;
import java.util.List;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;

/**
 * View of a node, its cluster and its jobs, for bundles that show or measure it. A container's node is a service of this type, with
 * {@link NodeProperties#ADDRESS} while it listens; wait for that property. Safe for any thread.
 */
public interface NodeMonitor {
    /** Returns the state of this node. Does not block. */
    NodeReport report();

    /** Returns the states of all nodes, in name order; those that do not answer within 10 s are missing. Blocks. */
    List<NodeReport> reports();

    /** Returns the jobs that this node has coordinated, by the time of their launch; as many of those that have ended as it keeps. Does not block. */
    List<JobRecord> history();

    /** Returns the jobs that the nodes have coordinated, by the time of their launch; those of nodes that do not answer are missing. Blocks. */
    List<JobRecord> histories() throws IOException;

    /** Returns what this node has counted. Does not block. */
    NodeCounts counts();

    /** Returns what the nodes find when they examine themselves. Blocks. */
    ClusterHealth examine() throws IOException;
}
