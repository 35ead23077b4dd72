package tutti.daemon.control;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ClusterQuestions;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.JvmPool;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.settings.NodeAccess;
import tutti.runtime.module.Catalogue;

/** Reports of the nodes of a cluster: makes that of this node, and asks the others for theirs. Safe for any thread. */
final class NodeReports implements NodeStatusPublisher.Nodes {
    private final ContainerServices services;
    private final NodePort port;
    private final Cluster cluster;
    private final JobTransports transports;
    private final JvmPool jvms;
    private final ClusterJobs jobs;
    private final NodeProofs proofs;

    NodeReports(final ContainerServices services, final NodePort port, final Cluster cluster, final JobTransports transports, final JvmPool jvms,
        final ClusterJobs jobs, final NodeProofs proofs) {
        this.services = services;
        this.port = port;
        this.cluster = cluster;
        this.transports = transports;
        this.jvms = jvms;
        this.jobs = jobs;
        this.proofs = proofs;
    }

    @Override
    public List<NodeInfo> nodes() {
        return cluster.nodes();
    }

    @Override
    public @Nullable NodeReport report(final String node) {
        return cluster.questions().ask(node, NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT);
    }

    /** Returns the report of this node. Does not block. */
    NodeReport own() {
        return new NodeReport(cluster.self(), services.host().running() + jvms.running(), services.modules().catalogue(), transports.schemes(),
            jobs.infos(),
            NodeLoad.now(services.version(), services.host().schedules().plus(jvms.schedules()), proofs.counts().plus(jvms.proofs()),
                services.host().messages().plus(jvms.messages())),
            warnings());
    }

    private List<String> warnings() {
        return port.credential() != null ? List.of()
            : List.of("everybody who reaches it may do everything, " + NodeProperties.SECRET + "=" + NodeAccess.NONE
                + "; make a secret with: tutti secure init");
    }

    /** Returns the reports of all nodes, in name order; those that do not answer within 10 s are missing. Blocks. */
    List<NodeReport> all() {
        final List<NodeReport> all = new ArrayList<>();
        all.add(own());
        all.addAll(cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT).values());
        all.sort(Comparator.comparing(r -> r.node().name()));
        return all;
    }

    /** Returns the reports of all nodes that are not lost, by name. Blocks. */
    private Map<String, NodeReport> byName() {
        final Map<String, NodeReport> all = new TreeMap<>(cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report));
        all.put(port.self().name(), own());
        return all;
    }

    /** Returns the number of cores without a rank, of each node by name. Blocks. */
    Map<String, Integer> freePlaces() {
        final Map<String, Integer> free = new TreeMap<>();
        byName().forEach((name, r) -> free.put(name, r.node().cores() - r.ranks()));
        return free;
    }

    /** Returns the catalogue of each node, by name. Blocks. */
    Map<String, Catalogue> catalogues() {
        final Map<String, Catalogue> all = new TreeMap<>();
        byName().forEach((name, r) -> all.put(name, r.catalogue()));
        return all;
    }
}
