package tutti.daemon.protocol;

import java.util.List;

/**
 * What a node says of itself now.
 *
 * @param node    who it is
 * @param ranks   ranks that run there
 * @param modules active there
 * @param jobs    that it coordinates
 */
public record NodeReport(NodeInfo node, int ranks, List<ModuleInfo> modules, List<JobInfo> jobs) {
}
