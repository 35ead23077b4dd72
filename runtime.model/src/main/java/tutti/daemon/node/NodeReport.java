package tutti.daemon.node;

import java.util.List;
import java.util.Map;
import tutti.runtime.module.Catalogue;

/**
 * Current state of a node.
 *
 * @param node       identity of the node
 * @param ranks      number of ranks that run on it
 * @param catalogue  modules that it offers
 * @param transports schemes of its transports
 * @param reach      for those that reach some nodes only, by scheme: what nodes have in common that reach each other
 * @param jobs       jobs that it coordinates
 * @param load       load of the node
 * @param warnings   what users of the node should know, a line each
 */
public record NodeReport(NodeInfo node, int ranks, Catalogue catalogue, List<String> transports, Map<String, String> reach,
    List<JobInfo> jobs, NodeLoad load, List<String> warnings) {
}
