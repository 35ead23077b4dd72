package tutti.daemon.control;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.checkpoints.CheckpointServer;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.LinkAdmission;
import tutti.daemon.cluster.LostNodes;
import tutti.daemon.cluster.ServedChannels;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.job.CheckpointQuestions;
import tutti.daemon.job.ClusterCheckpoints;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.job.ClusterMeasurements;
import tutti.daemon.job.JobAgreementResolver;
import tutti.daemon.job.JobCoordinator;
import tutti.daemon.job.JobHistory;
import tutti.daemon.job.JobPlan;
import tutti.daemon.job.JobQuestions;
import tutti.daemon.job.JobSite;
import tutti.daemon.job.MeasurementQuestions;
import tutti.daemon.job.MeasurementStore;
import tutti.daemon.launch.JobClient;
import tutti.daemon.modules.ChangeServer;
import tutti.daemon.modules.ChangeSettlement;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.daemon.part.JobNodeServer;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.JvmPool;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.PartServices;
import tutti.daemon.part.PublishedNames;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/**
 * A node that listens: has its cluster, jobs, parts of jobs, modules and checkpoints, and serves each link by its purpose. Safe for any thread.
 */
final class OpenNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenNode.class);

    private final String name;
    private final ContainerServices services;
    private final NodePort port;
    private final NodeStop stop;
    /** Complete when this node serves links. */
    private final CompletionStage<?> opened;
    private final ServedChannels served;
    private final LostNodes lost = new LostNodes();
    private final RefusalPeriod refusals = RefusalPeriod.ofManyReasons();
    private final AtomicInteger incoming = new AtomicInteger();
    private final NodePage page;
    private final JobHistory history;
    private final Cluster cluster;
    private final JvmPool jvms;
    private final ClusterJobs jobs;
    private final NodeReports reports;
    private final NodeExamination examination;
    private final ClusterModules modules;
    private final ModuleRecovery recovery;
    private final ChangeSettlement settlement;
    private final NodeStatusPublisher statuses;
    private final ClusterCheckpoints checkpoints;
    private final ClusterMeasurements measurements;
    private final PublishedNames names;
    private final NodeParts parts;
    private final JobSite site;
    private volatile boolean isClosed;

    /**
     * Creates a node that is alone in its cluster.
     *
     * @param port   the port on which it listens, and which it closes
     * @param stop   stops it when it is told to
     * @param opened completes when it serves links; it takes no notice of changes of the members before
     */
    OpenNode(final ContainerServices services, final NodePort port, final NodeStop stop, final CompletionStage<?> opened) {
        final NodeSettings settings = services.settings();
        final ModuleStore store = services.store();
        this.name = settings.name();
        this.services = services;
        this.port = port;
        this.stop = stop;
        this.opened = opened;
        this.page = NodePage.of(services.context(), name, port.credential());
        // a node for one run ends with its job, and its folder with it
        this.history = new JobHistory(settings.history(), settings.oneRun() ? null : settings.folder().resolve("history.jsonl"));
        this.cluster = new Cluster(port.self(), port.control(), services.provider(), settings.membership(), new Events());
        this.served = new ServedChannels(name, settings.limits());
        this.jvms = new JvmPool(new JvmPool.Node(services.context(), services.transport(), settings, port.self().host(), port.bound(),
            port.isByCertificate(), services.modules(), store, this::agreementOfJvms));
        this.jobs = new ClusterJobs(name, settings.limits().jobs(), cluster.questions(), history, () -> served.busy(ServedChannels.Kind.JOB),
            new JobAccess());
        final JobTransports transports = port.transports(services);
        final NodeProofs proofs = new NodeProofs();
        this.reports = new NodeReports(services, port, cluster, transports, jvms, jobs, proofs);
        this.examination = new NodeExamination(services, port, cluster, lost);
        this.statuses = new NodeStatusPublisher(services.context(), reports);
        this.modules = new ClusterModules(name, store, port.control(), cluster, reports::catalogues);
        this.recovery = new ModuleRecovery(name, store, new ModuleSources());
        this.settlement = new ChangeSettlement(name, store, modules::phases);
        this.checkpoints = new ClusterCheckpoints(new NodeCheckpoints(name, settings.folder(), port.control(), cluster::nodes), cluster, jobs);
        final MeasurementStore measured = new MeasurementStore(name, settings.measurements());
        this.measurements = new ClusterMeasurements(measured, history, cluster);
        this.names = new PublishedNames(name, asked -> cluster.questions().askAll(NodeQuestions.class, n -> n.lookup(asked)));
        this.parts = new NodeParts(settings, services.host(), transports, jvms, new PartServices.Node(port.data(), names, cluster),
            checkpoints.here(), store, proofs, jobs);
        this.site = new JobSite(cluster, transports, parts, services.resolver(), checkpoints, history, measured, settings.folder());
        cluster.questions().serve(NodeQuestions.class, new Answers());
        cluster.questions().serve(JobQuestions.class, jobs);
        cluster.questions().serve(ModuleQuestions.class, modules);
        cluster.questions().serve(CheckpointQuestions.class, checkpoints);
        cluster.questions().serve(MeasurementQuestions.class, measurements);
    }

    /** Starts what this node does by itself. Called once, before it serves links. */
    void start() {
        statuses.open();
        opened.thenRun(settlement::wake);
        jvms.open();
        services.store().listenToOffers(jvms::modulesChanged);
        services.store().quarantine().listen(this::quarantined);
    }

    /** Returns the agreement of a job on this node alone, for which JVMs are prepared; null when there is none. */
    private @Nullable AgreedModules agreementOfJvms() {
        try {
            return services.resolver().resolve(Map.of(name, services.modules().catalogue()), Map.of(), null);
        } catch (final JobAgreementResolver.JobRefusedException e) {
            LOG.debug("no warm-up", e);
            return null;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Tells the jobs that this node coordinates, and the other nodes, which modules are in quarantine now. */
    private void quarantined(final List<QuarantinedModule> changed) {
        jobs.quarantined(changed);
        jvms.quarantined(changed);
        modules.tell(changed);
    }

    /** Leaves the cluster, and closes all that this node has. */
    @Override
    public void close() {
        jobs.end(ExitStatus.NO_CLUSTER, "node " + name + " was stopped, which coordinated the job");
        isClosed = true;
        // the others answer over links that they may have to open
        statuses.close();
        settlement.close();
        cluster.leave();
        port.close();
        closeServed();
        LOG.info("node {} stops", name);
        jvms.close();
    }

    /**
     * Closes the channels of a closed node when its jobs have ended, of which their commands learn first. Commands wait for the end of a framework
     * that stops with its node: the transport closes their channels.
     */
    private void closeServed() {
        if (isClosed && jobs.isEmpty()) {
            served.close(stop.isFrameworkStopping());
        }
    }

    String name() {
        return name;
    }

    NodePort port() {
        return port;
    }

    Cluster cluster() {
        return cluster;
    }

    ClusterJobs jobs() {
        return jobs;
    }

    ClusterModules modules() {
        return modules;
    }

    ClusterCheckpoints checkpoints() {
        return checkpoints;
    }

    ClusterMeasurements measurements() {
        return measurements;
    }

    NodeReports reports() {
        return reports;
    }

    NodeExamination examination() {
        return examination;
    }

    NodePage page() {
        return page;
    }

    /** Returns the jobs that this node has coordinated. */
    JobHistory history() {
        return history;
    }

    /** Returns the counter of requests that are refused for the role of who makes them. */
    RefusalPeriod refusals() {
        return refusals;
    }

    /** Returns the nodes that this one has seen lost and not come back. */
    List<LostNode> lost() {
        return lost.without(cluster.nodes());
    }

    /** Returns what this node has counted. */
    NodeCounts counts() {
        final Cluster.Changes changes = cluster.changes();
        final JobHistory.Counts counts = history.counts();
        return new NodeCounts(cluster.nodes().size(), changes.joined(), changes.left(), changes.lost(), counts.started(), counts.ended(),
            counts.checkpoints(), counts.checkpointsFailed(), counts.checkpointBytes());
    }

    /** Returns a new folder for a file that a client sends. */
    Path newFolder() {
        return services.settings().folder().resolve("incoming-" + incoming.incrementAndGet());
    }

    /** Joins another cluster; the reply names its modules that this node lacks, or says that the other node refuses this one. Blocks. */
    Reply join(final HostPort seed) throws IOException {
        try {
            cluster.join(seed);
            return new Reply(ExitStatus.OK, modules.lacking());
        } catch (final RefusedException e) {
            return new Reply(ExitStatus.DENIED,
                "the cluster at " + seed + " refuses this node: " + Protocol.oneLine(e));
        }
    }

    /** Stops another node of the cluster; returns whether there is one. Blocks. */
    boolean stopOther(final String node) {
        return cluster.questions().tell(node, NodeQuestions.class, NodeQuestions::stop);
    }

    /** Stops the other nodes of the cluster. Blocks. */
    void stopOthers() {
        cluster.nodes().stream().skip(1).forEach(n -> stopOther(n.name()));
    }

    /** Stops this node or its framework, as its settings say. */
    void stopHere() {
        stop.stop();
    }

    /** Returns the servers of the links that {@link LinkAdmission} lets in. */
    LinkAdmission.Servers servers() {
        return new Servers();
    }

    /** Serves the links of commands and nodes. */
    private final class Servers implements LinkAdmission.Servers {
        @Override
        public LinkHandler command(final Link link, final Role role, final @Nullable String owner) throws RefusedException {
            return served.serve(ServedChannels.Kind.COMMAND, null, link, c -> new ClientSession(c, OpenNode.this, role, owner, link.peer()));
        }

        @Override
        public LinkHandler node(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(link, memory -> cluster.accept(link, peer, memory), () -> cluster.sees(peer.name()));
        }

        @Override
        public LinkHandler job(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(ServedChannels.Kind.JOB, peer, link, c -> new JobNodeServer(c, parts));
        }

        @Override
        public LinkHandler change(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(ServedChannels.Kind.CHANGE, peer, link, c -> new ChangeServer(c, services.store()), ChangeServer::isBusy);
        }

        @Override
        public LinkHandler checkpoint(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(ServedChannels.Kind.CHECKPOINT, peer, link, c -> new CheckpointServer(c, checkpoints.here()),
                CheckpointServer::isBusy);
        }
    }

    /** Access of the jobs that this node coordinates to it. */
    private final class JobAccess implements ClusterJobs.Node {
        @Override
        public JobCoordinator create(final String id, final JobPlan plan, final InputStream program, final JobClient client) {
            return new JobCoordinator(id, plan, program, client, site);
        }

        @Override
        public Path newFolder() {
            return parts.newFolder();
        }

        @Override
        public List<Path> api() {
            return services.api();
        }

        @Override
        public Map<String, Integer> freePlaces() {
            return reports.freePlaces();
        }

        @Override
        public void ended() {
            closeServed();
        }
    }

    /** Listener of the members of the cluster. */
    private final class Events implements Cluster.Listener {
        /** Ends the jobs of this node with parts on a lost node, and the parts here of jobs that the lost node coordinates. */
        @Override
        public void lost(final NodeInfo node, final String reason) {
            served.close(node);
            lost.lost(node, reason);
            jobs.nodeLost(node, reason);
        }

        @Override
        public void changed() {
            opened.thenRun(() -> {
                statuses.update();
                recovery.start();
                settlement.wake();
                modules.tell(services.store().quarantine().records());
            });
        }
    }

    /** The nodes from which lost modules are fetched. */
    private final class ModuleSources implements ModuleRecovery.Nodes {
        @Override
        public Map<String, Catalogue> catalogues() {
            return reports.catalogues();
        }

        @Override
        public @Nullable String send(final String node, final ModuleId module) {
            return cluster.questions().ask(node, ModuleQuestions.class, n -> n.send(module, name));
        }
    }

    /** Answers the questions of other nodes about this one. */
    private final class Answers implements NodeQuestions {
        @Override
        public CompletionStage<NodeReport> report() {
            return CompletableFuture.completedStage(reports.own());
        }

        @Override
        public CompletionStage<NodeHealth> examine() {
            return CompletableFuture.completedStage(examination.here());
        }

        @Override
        public CompletionStage<@Nullable String> lookup(final String asked) {
            return CompletableFuture.completedStage(names.here(asked));
        }

        @Override
        public void stop() {
            stopHere();
        }
    }
}
