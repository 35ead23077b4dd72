package tutti.daemon.membership;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.daemon.node.NodeInfo;

/** Membership of one node in its cluster. Safe for any thread. */
@ConsumerType
public interface Membership {

    /** Returns this node, with its current incarnation. */
    NodeInfo self();

    /** Returns the current view. */
    MembershipView view();

    /** Prepares to be joined, because another node has opened a link. Does not block. */
    void prepare();

    /**
     * Joins the cluster of another node, and waits until both are in one view. Two clusters with several nodes each become one cluster. Blocks.
     *
     * @param cluster the other node, then the members that it sees; not empty
     * @throws IOException when that takes too long; the message names the node
     */
    void join(List<NodeInfo> cluster) throws IOException;

    /** Receives a packet that another node sent. Does not block for long. */
    void received(byte[] packet);

    /** Suspects the node at an address, because the links to it are lost: it is lost soon unless it answers. Does not block. */
    void suspect(InetSocketAddress peer);

    /** Stops to look for a node, because it has left. Does not block. */
    void forget(NodeInfo node);

    /** Leaves the cluster, and releases all threads. Waits a second at most for other nodes. Idempotent. */
    void leave();
}
