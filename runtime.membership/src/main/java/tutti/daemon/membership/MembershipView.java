package tutti.daemon.membership;

import java.util.List;
import tutti.daemon.node.NodeInfo;

/**
 * The nodes of a cluster at one time. The nodes that can reach each other agree on the sequence of views.
 *
 * @param number  number of the view, which increases from view to view
 * @param members the nodes, the longest member first; includes this node
 */
public record MembershipView(long number, List<NodeInfo> members) {
    /** Copies the list. */
    public MembershipView {
        members = List.copyOf(members);
    }

    /** Returns the names of the members. */
    public List<String> names() {
        return members.stream().map(NodeInfo::name).toList();
    }
}
