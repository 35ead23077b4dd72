package tutti.daemon.protocol;

import java.util.List;
import tutti.runtime.select.Catalogue;

/**
 * What a node says of itself now.
 *
 * @param node    who it is
 * @param ranks   ranks that run there
 * @param catalogue the modules that it offers
 * @param jobs    that it coordinates
 * @param load    what it has to do
 */
public record NodeReport(NodeInfo node, int ranks, Catalogue catalogue, List<JobInfo> jobs, NodeLoad load) {
}
