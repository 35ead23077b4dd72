package tutti.daemon.listing;

import java.util.List;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;

/**
 * Node as {@code tutti nodes} shows it.
 *
 * @param name    name in the cluster
 * @param address address at which other nodes reach it
 * @param pid     id of its process
 * @param java    version of its Java
 * @param cores   processors that it may use
 * @param ranks   number of ranks that run on it
 * @param since   time of its start, in milliseconds of the epoch
 */
public record NodeRow(String name, String address, long pid, String java, int cores, int ranks, long since) {

    /** Returns one row per node. */
    public static List<NodeRow> of(final List<NodeReport> reports) {
        return reports.stream().map(r -> {
            final NodeInfo node = r.node();
            return new NodeRow(node.name(), node.address().toString(), node.pid(), node.java(), node.cores(), r.ranks(), node.since());
        }).toList();
    }
}
