package tutti.daemon.control;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import tutti.daemon.node.NodeInfo;

/** The nodes of the cluster that take no jobs, each with its reason, as they tell the others. Safe for any thread. */
final class ClosedNodes {
    /** By incarnation: a node that has restarted takes jobs. */
    private final Map<String, String> reasons = new ConcurrentHashMap<>();

    /** Returns the argument of the question by which a node tells the others that it takes no jobs; an empty reason means that it does again. */
    static String argument(final NodeInfo node, final String reason) {
        return node.incarnation() + " " + reason;
    }

    /** Accepts what a node tells. */
    void accept(final String argument) {
        final String[] parts = argument.split(" ", 2);
        if (parts.length == 1 || parts[1].isEmpty()) {
            reasons.remove(parts[0]);
        } else {
            reasons.put(parts[0], parts[1]);
        }
    }

    /** Returns those of the nodes that take jobs, and forgets nodes that are not among them. */
    List<NodeInfo> open(final List<NodeInfo> nodes) {
        reasons.keySet().retainAll(nodes.stream().map(NodeInfo::incarnation).toList());
        return nodes.stream().filter(n -> !reasons.containsKey(n.incarnation())).toList();
    }

    /** Returns why those of the nodes that take no jobs take none; empty when all do. */
    String reasons(final List<NodeInfo> nodes) {
        return nodes.stream().map(NodeInfo::incarnation).filter(reasons::containsKey).map(reasons::get).collect(Collectors.joining("\n"));
    }
}
