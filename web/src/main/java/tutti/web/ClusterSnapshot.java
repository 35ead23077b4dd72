package tutti.web;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.daemon.listing.ModuleRow;
import tutti.daemon.listing.NodeInfoRow;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeReport;
import tutti.runtime.module.AgreedModules;

/**
 * State of a cluster at one moment, as the page shows it and its JSON has it. Rows are those that the commands print with {@code --json}.
 *
 * @param time     time at which it was taken, in milliseconds of the epoch
 * @param node     name of the node that took it
 * @param nodes    nodes that answered, as {@code tutti info} shows them
 * @param lost     nodes that were lost
 * @param modules  modules, as {@code tutti modules} shows them
 * @param agreed   name and version of the modules that a job on all nodes has
 * @param leftOut  why it has not the others, by name and version
 * @param jobs     jobs, as {@code tutti ps} shows them
 * @param warnings what users of a node should know, by the name of the node
 */
record ClusterSnapshot(long time, String node, List<NodeInfoRow> nodes, List<LostNode> lost, Collection<ModuleRow> modules, List<String> agreed,
    Map<String, String> leftOut, List<JobInfo> jobs, Map<String, List<String>> warnings) {

    /** Takes a snapshot. Blocks. */
    static ClusterSnapshot of(final ClusterView cluster) {
        final List<NodeReport> reports = cluster.reports();
        final AgreedModules agreement =
            AgreedModules.between(reports.stream().collect(Collectors.toMap(r -> r.node().name(), NodeReport::catalogue)));
        final Map<String, String> leftOut = new TreeMap<>();
        agreement.leftOut().forEach(l -> leftOut.merge(l.module().toString(), l.reason(), (a, b) -> a + "; " + b));
        final Map<String, List<String>> warnings = new TreeMap<>();
        reports.stream().filter(r -> !r.warnings().isEmpty()).forEach(r -> warnings.put(r.node().name(), r.warnings()));
        return new ClusterSnapshot(System.currentTimeMillis(), cluster.name(), NodeInfoRow.of(reports), cluster.lost(), ModuleRow.of(reports),
            agreement.modules().stream().map(Object::toString).toList(), leftOut, reports.stream().flatMap(r -> r.jobs().stream()).toList(),
            warnings);
    }
}
