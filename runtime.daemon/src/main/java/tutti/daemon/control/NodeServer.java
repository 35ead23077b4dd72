package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.checkpoints.CheckpointServer;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.LinkAdmission;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.cluster.ServedChannels;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.job.ClusterCheckpoints;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.modules.LocalChange;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.daemon.part.JobNodeServer;
import tutti.daemon.part.NodeParts;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/** Server of the links that commands and other nodes open to this one, each by its purpose. Safe for any thread. */
@Component(service = NodeServer.class)
public final class NodeServer implements LinkAdmission.Servers, NodeQuestions {
    private final ListeningNode node;
    private final Cluster cluster;
    private final ServedChannels served;
    private final NodeParts parts;
    private final ModuleStore store;
    private final ClusterJobs jobs;
    private final ClusterModules modules;
    private final ClusterCheckpoints checkpoints;
    private final NodeReports reports;
    private final NodeExamination examination;
    private final NodeStop stop;
    private final NodePage page;
    private final RefusalPeriod refusals = RefusalPeriod.ofManyReasons();
    private final AtomicInteger incoming = new AtomicInteger();

    /** Creates the server of a node from what serves its links. */
    @Activate
    public NodeServer(final BundleContext context, @Reference(name = "node") final ListeningNode node,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "served") final ServedChannels served,
        @Reference(name = "parts") final NodeParts parts, @Reference(name = "store") final ModuleStore store,
        @Reference(name = "jobs") final ClusterJobs jobs, @Reference(name = "modules") final ClusterModules modules,
        @Reference(name = "checkpoints") final ClusterCheckpoints checkpoints, @Reference(name = "reports") final NodeReports reports,
        @Reference(name = "examination") final NodeExamination examination, @Reference(name = "stop") final NodeStop stop) {
        this.node = node;
        this.cluster = cluster;
        this.served = served;
        this.parts = parts;
        this.store = store;
        this.jobs = jobs;
        this.modules = modules;
        this.checkpoints = checkpoints;
        this.reports = reports;
        this.examination = examination;
        this.stop = stop;
        this.page = NodePage.of(context, node.name(), node.credential());
        cluster.questions().serve(NodeQuestions.class, this);
    }

    @Override
    public LinkHandler command(final Link link, final Role role, final @Nullable String owner) throws RefusedException {
        return served.serve(ServedChannels.Kind.COMMAND, null, link, c -> new ClientSession(c, this, role, owner, link.peer()));
    }

    @Override
    public LinkHandler node(final Link link, final NodeInfo peer) throws RefusedException {
        return served.serve(link, memory -> cluster.accept(link, peer, memory), () -> cluster.sees(peer.name()));
    }

    @Override
    public LinkHandler job(final Link link, final NodeInfo peer, final String place) throws RefusedException {
        return served.serve(ServedChannels.Kind.JOB, peer, link, c -> new JobNodeServer(c, parts, place));
    }

    @Override
    public LinkHandler change(final Link link, final NodeInfo peer) throws RefusedException {
        return served.serve(ServedChannels.Kind.CHANGE, peer, link, c -> LocalChange.serve(c, store), LocalChange::isLed);
    }

    @Override
    public LinkHandler checkpoint(final Link link, final NodeInfo peer) throws RefusedException {
        return served.serve(ServedChannels.Kind.CHECKPOINT, peer, link, c -> new CheckpointServer(c, parts.checkpoints()), CheckpointServer::isBusy);
    }

    @Override
    public CompletionStage<NodeReport> report() {
        return CompletableFuture.completedStage(reports.own());
    }

    @Override
    public CompletionStage<NodeHealth> examine() {
        return CompletableFuture.completedStage(examination.here());
    }

    @Override
    public void stop() {
        stop.stop();
    }

    /** Lets links in, and makes JVMs ready for the jobs that these bring. */
    void open() {
        node.open(this);
        parts.open();
    }

    /** Closes the links that are served when the jobs of this node have ended, of which their commands learn first. */
    void close() {
        // commands wait for the end of a framework that stops with its node: the transport closes their channels
        jobs.ended().thenRun(() -> served.close(stop.isFrameworkStopping()));
    }

    String name() {
        return node.name();
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

    NodeReports reports() {
        return reports;
    }

    NodeExamination examination() {
        return examination;
    }

    NodeStop nodeStop() {
        return stop;
    }

    NodePage page() {
        return page;
    }

    /** Returns the counter of requests that are refused for the role of who makes them. */
    RefusalPeriod refusals() {
        return refusals;
    }

    /** Returns a new folder for a file that a client sends. */
    Path newFolder() {
        return node.settings().folder().resolve("incoming-" + incoming.incrementAndGet());
    }

    /** Joins another cluster; the reply names its modules that this node lacks, or says that the other node refuses this one. Blocks. */
    Reply join(final HostPort seed) throws IOException {
        try {
            cluster.join(seed);
            return new Reply(ExitStatus.OK, modules.lacking());
        } catch (final RefusedException e) {
            // Cause: its secret, name or release is not that of the cluster. Remedy: the reason is in the message.
            return new Reply(ExitStatus.DENIED, "the cluster at " + seed + " refuses this node: " + Protocol.oneLine(e));
        }
    }
}
