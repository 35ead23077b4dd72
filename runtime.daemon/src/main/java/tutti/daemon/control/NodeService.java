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
import tutti.daemon.cluster.ClusterSeeds;
import tutti.daemon.cluster.LinkAdmission;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.job.JobAgreementResolver;
import tutti.daemon.job.ParameterSource;
import tutti.daemon.job.QueryJob;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.modules.ModuleStore;
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
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.TransportRegistry;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.Role;
import tutti.daemon.settings.ConfiguredNode;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.job.JobHost;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * Service of this node: opens and closes it, and shows its cluster to other bundles of the container.
 *
 * <p>Runs while its container has a {@link ConfiguredNode}, with its settings. When the node listens or cannot, it registers itself with the address
 * of the node or the reason. Methods about the cluster throw {@link IllegalStateException} when the node cannot listen.
 */
@Component(service = {}, immediate = true)
public final class NodeService implements ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);

    private final ContainerServices services;
    private final NodeSettings settings;
    private final NodeStop stop;
    /** Completes when the node serves links; links that arrive earlier wait for it. */
    private final CompletableFuture<LinkAdmission.Servers> opened = new CompletableFuture<>();
    /** Properties of this service. Guarded by itself, as the registration is. */
    private final Map<String, String> properties = new TreeMap<>();
    /** Null before it is made, and when it is withdrawn. */
    private @Nullable ServiceRegistration<?> registration;
    /** Null when it cannot be opened. */
    private @Nullable NodePort port;
    /** Null when it cannot be opened. */
    private @Nullable OpenNode node;
    private @Nullable ClusterSeeds seeds;

    /** Creates the service of a node that does not listen yet. */
    @Activate
    public NodeService(final BundleContext context,
        @Reference(name = "transport", target = "(" + Transport.SCHEME + "=" + JobTransports.OWN_SCHEME + ")") final Transport transport,
        @Reference(name = "membership") final MembershipProvider provider, @Reference(name = "registry") final TransportRegistry registry,
        @Reference(name = "host") final JobHost host,
        @Reference(name = "modules") final NodeCatalogue modules, @Reference(name = "store") final ModuleStore store,
        @Reference(name = "parameters") final ParameterSource parameters,
        @Reference(name = "configured", target = ConfiguredNode.READY) final ConfiguredNode configured) {
        this.settings = configured.settings();
        this.services = new ContainerServices(context, transport, registry, provider, host, modules, store,
            new JobAgreementResolver(parameters, store, settings.rules()), settings);
        this.stop = new NodeStop(context, configured, settings.stop());
    }

    /** Starts to listen, and registers this service. */
    @Activate
    void open() {
        try {
            NodeFolder.sweep(settings.folder());
            final NodePort listening = new NodePort(settings, services.transport(), services.host(), opened);
            port = listening;
            final OpenNode made = new OpenNode(services, listening, stop, opened);
            node = made;
            made.start();
            final NodeInfo self = listening.self();
            LOG.info("node {} listens on {}", self.name(), self.address());
            opened.complete(made.servers());
            properties.putAll(Map.of(NodeProperties.NAME, self.name(), NodeProperties.ADDRESS, self.address().toString()));
            if (settings.join().isEmpty() || settings.join().stream().anyMatch(listening::isOwn)) {
                properties.put(NodeProperties.JOINED, "true");
            }
        } catch (final IOException | RuntimeException e) {
            fail(e);
            opened.completeExceptionally(e);
            properties.put(NodeProperties.FAILURE, Protocol.oneLine(e));
        }
        registration = services.context().registerService(
            new String[] {NodeService.class.getName(), ClusterView.class.getName(), NodeMonitor.class.getName()}, this,
            FrameworkUtil.asDictionary(Map.copyOf(properties)));
        if (node != null && !opened.isCompletedExceptionally()) {
            final OpenNode made = node;
            seeds = new ClusterSeeds(settings.join().stream().filter(a -> !made.port().isOwn(a)).toList(), made.cluster()::nodes, new Seeds(made));
        }
    }

    /** Logs that the node cannot start; the launcher of a container that has no other purpose reports it itself. */
    private void fail(final Exception e) {
        if (settings.stop() == NodeSettings.Stop.FRAMEWORK) {
            LOG.info("node cannot start", e);
        } else {
            LOG.error("node {} cannot start, change configuration {}: {}", settings.name(), NodeProperties.PID, Protocol.oneLine(e));
        }
    }

    /** Adds properties to those of this service; does nothing when it is closed. */
    private void publish(final Map<String, String> more) {
        synchronized (properties) {
            properties.putAll(more);
            if (registration != null) {
                registration.setProperties(FrameworkUtil.asDictionary(Map.copyOf(properties)));
            }
        }
    }

    /** Joins the nodes of the settings, and publishes how far that is. */
    private final class Seeds implements ClusterSeeds.Joiner {
        private final OpenNode by;

        private Seeds(final OpenNode by) {
            this.by = by;
        }

        @Override
        public NodeInfo join(final HostPort address) throws IOException {
            final NodeInfo seed = by.cluster().join(address);
            publish(Map.of(NodeProperties.JOINED, "true"));
            by.modules().lacking();
            return seed;
        }

        @Override
        public void failed(final HostPort address, final Exception failure) {
            publish(Map.of(failure instanceof RefusedException ? NodeProperties.REFUSED : NodeProperties.NOT_JOINED,
                "node at " + address + ": " + Protocol.oneLine(failure)));
        }
    }

    /** Withdraws this service, and closes the node. */
    @Deactivate
    public void close() {
        if (seeds != null) {
            seeds.close();
        }
        synchronized (properties) {
            if (registration != null) {
                registration.unregister();
                registration = null;
            }
        }
        if (node != null) {
            node.close();
        } else if (port != null) {
            port.close();
        }
    }

    /**
     * Returns the node.
     *
     * @throws IllegalStateException when it cannot listen
     */
    OpenNode node() {
        if (node == null) {
            throw new IllegalStateException("node " + settings.name() + " cannot listen on " + settings.listen() + ": change configuration "
                + NodeProperties.PID);
        }
        return node;
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public NodeReport report() {
        return node().reports().own();
    }

    @Override
    public List<NodeReport> reports() {
        return node().reports().all();
    }

    @Override
    public List<JobRecord> history() {
        return node().history().jobs();
    }

    @Override
    public List<JobRecord> histories() throws IOException {
        return node().jobs().histories();
    }

    @Override
    public NodeCounts counts() {
        return node().counts();
    }

    @Override
    public ClusterHealth examine() throws IOException {
        return node().examination().all();
    }

    @Override
    public List<LostNode> lost() {
        return node().lost();
    }

    @Override
    public @Nullable Role pageRole(final String token) {
        return node().page().role(token);
    }

    @Override
    public @Nullable JobActivity ranks(final String id) {
        return node().jobs().findRanks(id);
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    public boolean cancel(final String job) {
        return node().jobs().cancelAnywhere(job);
    }

    @Override
    public @Nullable JobMeasurements measurements(final String job) throws IOException {
        return node().measurements().find(job);
    }

    @Override
    public boolean read(final JobMeasurements of, final String name, final ChunkReceiver to) throws IOException {
        return node().measurements().read(of, name, to);
    }

    @Override
    public byte[] output(final String mainClass, final List<String> args, final int ranks, final String user)
        throws IOException, InterruptedException {
        return QueryJob.run(mainClass, args, ranks, Map.of(), user, node().jobs());
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
        return QueryJob.run(ExplainProgram.CLASS, program.arguments(), ranks, parameters, user, node().jobs());
    }

    /** Returns what all nodes hold of checkpoints; nodes that cannot answer are missing. Blocks. */
    public List<HeldCheckpoint> checkpointsHeld() {
        return node().checkpoints().list();
    }

    /** Removes the checkpoints of a series from all nodes, unless a job uses them; the reply says why not. Blocks. */
    public Reply removeCheckpoints(final String series) {
        return node().checkpoints().remove(series);
    }

    @Override
    public Reply change(final ModuleChange change, final boolean force, final @Nullable Path file) throws InterruptedException {
        return node().modules().change(change, force, file);
    }
}
