package tutti.daemon.control;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ClusterQuestions;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.NodeParts;
import tutti.daemon.settings.NodeAccess;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.NodeCatalogue;

/** Reports of the nodes of a cluster: makes that of this node, and asks the others for theirs. Safe for any thread. */
@Component(service = NodeReports.class)
public final class NodeReports {
    private final ListeningNode node;
    private final NodeCatalogue modules;
    private final Cluster cluster;
    private final JobTransports transports;
    private final NodeParts parts;
    private final ClusterJobs jobs;

    /** Creates the reports from what they tell. */
    @Activate
    public NodeReports(@Reference(name = "node") final ListeningNode node, @Reference(name = "modules") final NodeCatalogue modules,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "transports") final JobTransports transports,
        @Reference(name = "parts") final NodeParts parts, @Reference(name = "jobs") final ClusterJobs jobs) {
        this.node = node;
        this.modules = modules;
        this.cluster = cluster;
        this.transports = transports;
        this.parts = parts;
        this.jobs = jobs;
    }

    /** Returns the report of a node; null when it cannot answer. Blocks. */
    @Nullable
    NodeReport of(final String name) {
        return cluster.questions().ask(name, NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT);
    }

    /** Returns the report of this node. Does not block. */
    NodeReport own() {
        return new NodeReport(cluster.self(), parts.running(), modules.catalogue(), transports.schemes(), transports.reach(), jobs.infos(),
            NodeLoad.now(node.version(), parts.schedules(), parts.proofs(), parts.messages()), warnings());
    }

    private List<String> warnings() {
        final List<String> warnings = new ArrayList<>(transports.unusable());
        if (node.credential() == null) {
            warnings.add("everybody who reaches it may do everything, " + NodeProperties.SECRET + "=" + NodeAccess.NONE
                + "; make a secret with: tutti secure init");
        }
        return warnings;
    }

    /** Returns the reports of all nodes, in name order; those that do not answer within 10 s are missing. Blocks. */
    List<NodeReport> all() {
        final List<NodeReport> all = new ArrayList<>();
        all.add(own());
        all.addAll(cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT).values());
        all.sort(Comparator.comparing(r -> r.node().name()));
        return all;
    }

    /** Returns the catalogue of each node, by name. Blocks. */
    Map<String, Catalogue> catalogues() {
        final Map<String, Catalogue> all = new TreeMap<>();
        cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report).forEach((name, r) -> all.put(name, r.catalogue()));
        all.put(node.name(), modules.catalogue());
        return all;
    }
}
