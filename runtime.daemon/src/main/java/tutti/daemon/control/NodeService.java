package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ClusterSeeds;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.job.ClusterMeasurements;
import tutti.daemon.job.JobHistory;
import tutti.daemon.job.QueryJob;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.ExplainProgram;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;
import tutti.runtime.transport.RefusedException;

/**
 * Service of this node: lets links in when all else is started, joins the nodes of its settings, and shows its cluster to other bundles of the
 * container. Registered with the address of the node, and with how far it has joined others.
 */
@Component(service = {}, immediate = true)
public final class NodeService implements ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);

    private final ListeningNode node;
    private final Cluster cluster;
    private final ClusterJobs jobs;
    private final JobHistory history;
    private final ClusterMeasurements measurements;
    private final NodeServer server;
    private final ClusterSeeds seeds;
    /** Properties of this service. Guarded by itself, as the registration is. */
    private final Map<String, String> properties = new TreeMap<>();
    private final ServiceRegistration<?> registration;
    private boolean isWithdrawn;

    /** Lets links in, and registers this service. */
    @Activate
    public NodeService(final BundleContext context, @Reference(name = "node") final ListeningNode node,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "jobs") final ClusterJobs jobs,
        @Reference(name = "history") final JobHistory history, @Reference(name = "measurements") final ClusterMeasurements measurements,
        @Reference(name = "server") final NodeServer server) {
        this.node = node;
        this.cluster = cluster;
        this.jobs = jobs;
        this.history = history;
        this.measurements = measurements;
        this.server = server;
        final List<HostPort> join = node.settings().join();
        properties.putAll(Map.of(NodeProperties.NAME, node.name(), NodeProperties.ADDRESS, node.self().address().toString()));
        if (join.isEmpty() || join.stream().anyMatch(node::isOwn)) {
            properties.put(NodeProperties.JOINED, "true");
        }
        server.open();
        this.registration = context.registerService(
            new String[] {NodeService.class.getName(), ClusterView.class.getName(), NodeMonitor.class.getName()}, this,
            FrameworkUtil.asDictionary(Map.copyOf(properties)));
        this.seeds = new ClusterSeeds(join.stream().filter(a -> !node.isOwn(a)).toList(), cluster, new Seeds());
    }

    /** Adds properties to those of this service; does nothing when it is closed. */
    private void publish(final Map<String, String> more) {
        synchronized (properties) {
            properties.putAll(more);
            if (!isWithdrawn) {
                registration.setProperties(FrameworkUtil.asDictionary(Map.copyOf(properties)));
            }
        }
    }

    /** Joins the nodes of the settings, and publishes how far that is. */
    private final class Seeds implements ClusterSeeds.Joiner {
        @Override
        public NodeInfo join(final HostPort address) throws IOException {
            final NodeInfo seed = cluster.join(address);
            publish(Map.of(NodeProperties.JOINED, "true"));
            server.modules().lacking();
            return seed;
        }

        @Override
        public void failed(final HostPort address, final Exception failure) {
            publish(Map.of(failure instanceof RefusedException ? NodeProperties.REFUSED : NodeProperties.NOT_JOINED,
                "node at " + address + ": " + Protocol.oneLine(failure)));
        }
    }

    /** Withdraws this service, ends the jobs, leaves the cluster, and stops to listen. */
    @Deactivate
    public void close() {
        seeds.close();
        synchronized (properties) {
            isWithdrawn = true;
            registration.unregister();
        }
        jobs.close();
        cluster.leave();
        node.close();
        server.close();
        LOG.info("node {} stops", node.name());
    }

    @Override
    public String name() {
        return node.name();
    }

    @Override
    public NodeReport report() {
        return server.reports().own();
    }

    @Override
    public List<NodeReport> reports() {
        return server.reports().all();
    }

    @Override
    public List<JobRecord> history() {
        return history.jobs();
    }

    @Override
    public List<JobRecord> histories() throws IOException {
        return jobs.histories();
    }

    @Override
    public NodeCounts counts() {
        final Cluster.Changes changes = cluster.changes();
        final JobHistory.Counts counts = history.counts();
        return new NodeCounts(cluster.nodes().size(), changes.joined(), changes.left(), changes.lost(), counts.started(), counts.ended(),
            counts.checkpoints(), counts.checkpointsFailed(), counts.checkpointBytes(), counts.live());
    }

    @Override
    public ClusterHealth examine() throws IOException {
        return server.examination().all();
    }

    @Override
    public List<LostNode> lost() {
        return cluster.lost();
    }

    @Override
    public @Nullable Role pageRole(final String token) {
        return server.page().role(token);
    }

    @Override
    public @Nullable JobActivity ranks(final String id) {
        return jobs.findRanks(id);
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    public boolean cancel(final String job) {
        return jobs.cancelAnywhere(job);
    }

    @Override
    public @Nullable JobMeasurements measurements(final String job) throws IOException {
        return measurements.find(job);
    }

    @Override
    public boolean read(final JobMeasurements of, final String name, final ChunkReceiver to) throws IOException {
        return measurements.read(of, name, to);
    }

    @Override
    public byte[] output(final String mainClass, final List<String> args, final int ranks, final String user)
        throws IOException, InterruptedException {
        return QueryJob.run(mainClass, args, ranks, Map.of(), user, jobs);
    }

    /**
     * Runs the program of {@code tutti explain} as a job, and returns what it prints. Blocks.
     *
     * @param ranks      number of ranks; 0 for one per core
     * @param parameters parameters of the job, by name
     * @param user       name of who wants it, as {@code tutti ps} shows it
     * @throws IOException with one line that says why the job failed
     */
    public byte[] explain(final ExplainProgram program, final int ranks, final Map<String, String> parameters, final String user)
        throws IOException, InterruptedException {
        return QueryJob.run(ExplainProgram.CLASS, program.arguments(), ranks, parameters, user, jobs);
    }

    /** Returns what all nodes hold of checkpoints; nodes that cannot answer are missing. Blocks. */
    public List<HeldCheckpoint> checkpointsHeld() {
        return server.checkpoints().list();
    }

    /** Removes the checkpoints of a series from all nodes, unless a job uses them; the reply says why not. Blocks. */
    public Reply removeCheckpoints(final String series) {
        return server.checkpoints().remove(series);
    }

    @Override
    public Reply change(final ModuleChange change, final boolean force, final @Nullable Path file) throws InterruptedException {
        return server.modules().change(change, force, file, new CompletableFuture<>());
    }
}
