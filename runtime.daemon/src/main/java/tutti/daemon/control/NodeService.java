package tutti.daemon.control;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.checkpoints.CheckpointServer;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ClusterQuestions;
import tutti.daemon.cluster.ClusterSeeds;
import tutti.daemon.cluster.LinkAdmission;
import tutti.daemon.cluster.LostNodes;
import tutti.daemon.cluster.ServedChannels;
import tutti.daemon.health.ClusterHealth;
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
import tutti.daemon.job.ParameterSource;
import tutti.daemon.job.QueryJob;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.modules.ChangeServer;
import tutti.daemon.modules.ChangeSettlement;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.monitor.ClusterView;
import tutti.daemon.monitor.ExplainProgram;
import tutti.daemon.monitor.JobActivity;
import tutti.daemon.monitor.JobMeasurements;
import tutti.daemon.monitor.LostNode;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.JobRecord;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeLoad;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.NodeReport;
import tutti.daemon.node.PortRange;
import tutti.daemon.part.JobNodeServer;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.JvmPool;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.PartServices;
import tutti.daemon.part.PublishedNames;
import tutti.daemon.part.RunningJob;
import tutti.daemon.part.TransportRegistry;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.protocol.Reply;
import tutti.daemon.security.ClusterCertificate;
import tutti.daemon.security.Credential;
import tutti.daemon.security.Role;
import tutti.daemon.settings.ConfiguredNode;
import tutti.daemon.settings.NodeAccess;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.job.JobHost;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * Service of this node: listens on one port and routes each link by its purpose.
 *
 * <p>Runs while its container has a {@link ConfiguredNode}, with its settings. When it listens or cannot, it registers itself with its address or
 * the reason.
 */
@Component(service = {}, immediate = true)
public final class NodeService implements ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);
    /** Symbolic name of the bundle of package {@code mpi}. */
    private static final String API = "tutti.mpi.api";

    private final BundleContext context;
    private final Transport transport;
    private final TransportRegistry registry;
    private final MembershipProvider provider;
    private final JobHost host;
    private final NodeCatalogue modules;
    private final ModuleStore store;
    private final JobAgreementResolver resolver;
    private final ConfiguredNode configured;
    private final NodeSettings settings;
    private final ServedChannels served;
    private final ClusterJobs jobs;
    private final NodeProofs proofs = new NodeProofs();
    private final LostNodes lost = new LostNodes();
    private final JobHistory history;
    private final MeasurementStore measured;
    private final RefusalPeriod refusedRequests = RefusalPeriod.ofManyReasons();
    private final AtomicInteger numbers = new AtomicInteger();
    /** Completed when {@link #cluster} is set; links that arrive earlier wait for it. */
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    /** Properties of this service. Guarded by itself, as the registration is. */
    private final Map<String, String> properties = new TreeMap<>();
    /** Null before it is made, and when it is withdrawn. */
    private @Nullable ServiceRegistration<?> registration;
    @SuppressWarnings("NullAway.Init") // open sets it
    private Listener listener;
    /** The transport of links to other nodes, which carry control messages. */
    @SuppressWarnings("NullAway.Init") // open sets it
    private Transport control;
    @SuppressWarnings("NullAway.Init") // open sets it
    private NodePage page;
    /** Whether everybody may do everything. */
    private boolean isOpen;
    @SuppressWarnings("NullAway.Init") // open sets it
    private NodeInfo self;
    @SuppressWarnings("NullAway.Init") // open sets it
    private Cluster cluster;
    @SuppressWarnings("NullAway.Init") // open sets it
    private NodeStatusPublisher statuses;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ClusterModules clusterModules;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ModuleRecovery recovery;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ChangeSettlement settlement;
    @SuppressWarnings("NullAway.Init") // open sets it
    private JobTransports transports;
    @SuppressWarnings("NullAway.Init") // open sets it
    private PublishedNames names;
    @SuppressWarnings("NullAway.Init") // open sets it
    private NodeParts parts;
    @SuppressWarnings("NullAway.Init") // open sets it
    private JobSite site;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ClusterCheckpoints checkpoints;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ClusterMeasurements measurements;
    @SuppressWarnings("NullAway.Init") // open sets it
    private ClusterSeeds seeds;
    @SuppressWarnings("NullAway.Init") // open sets it
    private JvmPool jvms;
    private volatile boolean closed;

    /** Creates the service of a node that does not listen yet. */
    @Activate
    public NodeService(final BundleContext context,
        @Reference(name = "transport", target = "(" + Transport.SCHEME + "=" + JobTransports.OWN_SCHEME + ")") final Transport transport,
        @Reference(name = "membership") final MembershipProvider provider, @Reference(name = "registry") final TransportRegistry registry,
        @Reference(name = "host") final JobHost host,
        @Reference(name = "modules") final NodeCatalogue modules, @Reference(name = "store") final ModuleStore store,
        @Reference(name = "parameters") final ParameterSource parameters,
        @Reference(name = "configured", target = ConfiguredNode.READY) final ConfiguredNode configured) {
        this.context = context;
        this.transport = transport;
        this.provider = provider;
        this.registry = registry;
        this.host = host;
        this.modules = modules;
        this.store = store;
        this.configured = configured;
        this.settings = configured.settings();
        this.served = new ServedChannels(settings.name(), settings.limits());
        // a node for one run ends with its job, and its folder with it
        this.history = new JobHistory(settings.history(), settings.oneRun() ? null : settings.folder().resolve("history.jsonl"));
        this.measured = new MeasurementStore(settings.name(), settings.measurements());
        this.jobs = new ClusterJobs(settings.name(), settings.limits().jobs(), () -> cluster, history,
            () -> served.busy(ServedChannels.Kind.JOB), new JobAccess());
        this.resolver = new JobAgreementResolver(parameters, store, settings.rules());
    }

    /** Starts to listen, and registers this service. */
    @Activate
    void open() {
        try {
            NodeFolder.sweep(settings.folder());
            listen();
            LOG.info("node {} listens on {}", self.name(), self.address());
            opened.complete(null);
            properties.putAll(Map.of(NodeProperties.NAME, self.name(), NodeProperties.ADDRESS, self.address().toString()));
            if (settings.join().isEmpty() || settings.join().stream().anyMatch(this::isOwn)) {
                properties.put(NodeProperties.JOINED, "true");
            }
        } catch (final IOException | RuntimeException e) {
            fail(e);
            opened.completeExceptionally(e);
            properties.put(NodeProperties.FAILURE, Protocol.oneLine(e));
        }
        registration = context.registerService(
            new String[] {NodeService.class.getName(), ClusterView.class.getName(), NodeMonitor.class.getName()}, this,
            FrameworkUtil.asDictionary(Map.copyOf(properties)));
        if (cluster != null) {
            seeds = new ClusterSeeds(settings.join().stream().filter(a -> !isOwn(a)).toList(), cluster::nodes, new Seeds());
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

    /** Returns whether an address is that of this node. */
    private boolean isOwn(final HostPort address) {
        if (address.equals(self.address())) {
            return true;
        }
        final InetAddress bound = listener.address().getAddress();
        final InetAddress asked = address.socketAddress().getAddress();
        try {
            return asked != null && address.port() == listener.address().getPort()
                && (asked.equals(bound) || bound.isAnyLocalAddress() && NetworkInterface.getByInetAddress(asked) != null);
        } catch (final SocketException e) {
            LOG.debug("network interfaces cannot be read", e);
            return false;
        }
    }

    /** Returns the agreement of a job on this node alone; null when there is none. */
    private @Nullable AgreedModules agreementHere() throws InterruptedException {
        try {
            return resolver.resolve(Map.of(self.name(), modules.catalogue()), Map.of(), null);
        } catch (final JobAgreementResolver.JobRefusedException e) {
            LOG.debug("no warm-up", e);
            return null;
        }
    }

    private void listen() throws IOException {
        final String name = settings.name();
        final InetSocketAddress address = settings.listen().socketAddress();
        final Credential own = settings.access().credential(address);
        if (own instanceof final ClusterCertificate certificate && !certificate.name().equals(name)) {
            throw new IOException("the certificate is that of node " + certificate.name() + ", this one is " + name + "; make one for it: "
                + "tutti secure node " + name);
        }
        isOpen = own == null;
        final boolean byCertificate = own instanceof ClusterCertificate;
        control = own == null ? transport : own.over(transport);
        final LinkAdmission admission = new LinkAdmission(name, own, opened, () -> Set.copyOf(List.of(listener.address().getPort(), self.port())),
            host.acceptor(), new Links());
        page = NodePage.of(context, name, own);
        // certificates hold for all links, a signature for the hello of control links
        final UnaryOperator<Transport> data = own != null && byCertificate ? own::over : UnaryOperator.identity();
        listener = (address.getPort() == 0 ? settings.ports() : new PortRange(address.getPort(), address.getPort()))
            .open(port -> data.apply(transport).listen(new HostPort(settings.listen().host(), port).socketAddress(), admission));
        final HostPort reachable = reachable(listener.address().getPort());
        self = new NodeInfo(name, HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()), reachable.host(), reachable.port(),
            ProcessHandle.current().pid(), System.getProperty("java.version"),
            Integer.getInteger("tutti.cores", Runtime.getRuntime().availableProcessors()), System.currentTimeMillis());
        transports = new JobTransports(registry, data, data.apply(transport), control, self.address(), listener.address().getAddress(),
            admission::acceptRank);
        cluster = new Cluster(self, control, provider, settings.membership(), new Events());
        statuses = new NodeStatusPublisher(context, new Nodes());
        recovery = new ModuleRecovery(name, store, new Nodes());
        clusterModules = new ClusterModules(name, store, control, opened, () -> cluster, this::catalogues);
        settlement = new ChangeSettlement(name, store, clusterModules::phases);
        statuses.open();
        checkpoints = new ClusterCheckpoints(new NodeCheckpoints(name, settings.folder(), control, () -> cluster.nodes()), cluster, jobs);
        measurements = new ClusterMeasurements(measured, history, cluster);
        cluster.questions().serve(NodeQuestions.class, new Answers());
        cluster.questions().serve(JobQuestions.class, jobs);
        cluster.questions().serve(ModuleQuestions.class, clusterModules);
        cluster.questions().serve(CheckpointQuestions.class, checkpoints);
        cluster.questions().serve(MeasurementQuestions.class, measurements);
        settlement.wake();
        jvms = new JvmPool(new JvmPool.Node(context, transport, settings, self.host(), listener.address().getAddress(), byCertificate,
            modules, store, this::agreementOfJvms));
        names = new PublishedNames(name, this::lookupElsewhere);
        parts = new NodeParts(settings, host, transports, jvms, new PartServices.Node(data.apply(transport), names, cluster), checkpoints.here(),
            store, proofs, jobs);
        site = new JobSite(cluster, transports, parts, resolver, checkpoints, history, measured, settings.folder());
        jvms.open();
        store.listenToOffers(jvms::modulesChanged);
        store.quarantine().listen(this::quarantined);
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

    private @Nullable AgreedModules agreementOfJvms() {
        try {
            return agreementHere();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Returns the address at which other nodes reach this one, given the port on which it listens. */
    private HostPort reachable(final int port) throws IOException {
        final HostPort advertised = settings.advertise();
        if (advertised != null) {
            return new HostPort(advertised.host(), advertised.port() == 0 ? port : advertised.port());
        }
        final InetAddress requested = settings.listen().socketAddress().getAddress();
        return new HostPort(requested != null && requested.isAnyLocalAddress() ? InetAddress.getLocalHost().getHostAddress()
            : settings.listen().host(), port);
    }

    /** Returns the number of cores without a rank, of each node by name. Blocks. */
    private Map<String, Integer> freePlaces() {
        final Map<String, Integer> free = new TreeMap<>();
        allReports().forEach((name, r) -> free.put(name, r.node().cores() - r.ranks()));
        return free;
    }

    /** Returns the jars of the bundle with package mpi, against which sources are compiled. */
    private List<Path> api() {
        return Stream.of(context.getBundles()).filter(b -> API.equals(b.getSymbolicName()))
            .map(b -> Path.of(URI.create(b.getLocation().replaceFirst("^reference:", "")))).toList();
    }

    /** Returns the ports that other nodes have under a name, by node. Blocks. */
    private Map<String, String> lookupElsewhere(final String name) {
        return cluster.questions().askAll(NodeQuestions.class, n -> n.lookup(name));
    }

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
        jobs.end(ExitStatus.NO_CLUSTER, "node " + settings.name() + " was stopped, which coordinated the job");
        if (listener != null) {
            closed = true;
            if (cluster != null) {
                // the others answer over links that they may have to open
                statuses.close();
                settlement.close();
                cluster.leave();
            }
            listener.close();
            closeServed();
            LOG.info("node {} stops", self.name());
        }
        if (jvms != null) {
            jvms.close();
        }
    }

    /**
     * Closes the channels of a closed node when its jobs have ended, of which their commands learn first. Commands wait for the end of a framework
     * that stops with its node: the transport closes their channels.
     */
    private void closeServed() {
        if (closed && jobs.isEmpty()) {
            served.close(settings.stop() == NodeSettings.Stop.FRAMEWORK
                && context.getBundle(Constants.SYSTEM_BUNDLE_ID).getState() == Bundle.STOPPING);
        }
    }

    /** Returns the counter of requests that are refused for the role of who makes them. */
    RefusalPeriod refusals() {
        return refusedRequests;
    }

    /** Serves the links of commands and nodes that {@link LinkAdmission} lets in. */
    private final class Links implements LinkAdmission.Servers {
        @Override
        public LinkHandler command(final Link link, final Role role, final @Nullable String owner) throws RefusedException {
            return served.serve(ServedChannels.Kind.COMMAND, null, link, c -> new ClientSession(c, NodeService.this, role, owner, link.peer()));
        }

        @Override
        public LinkHandler node(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(link, memory -> cluster.accept(link, peer, memory), () -> cluster.sees(peer.name()));
        }

        @Override
        public LinkHandler job(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(ServedChannels.Kind.JOB, peer, link,
                c -> new JobNodeServer(c, parts));
        }

        @Override
        public LinkHandler change(final Link link, final NodeInfo peer) throws RefusedException {
            return served.serve(ServedChannels.Kind.CHANGE, peer, link, c -> new ChangeServer(c, store), ChangeServer::isBusy);
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
            return NodeService.this.api();
        }

        @Override
        public Map<String, Integer> freePlaces() {
            return NodeService.this.freePlaces();
        }

        @Override
        public void ended() {
            closeServed();
        }
    }

    /**
     * Starts a job, which this node coordinates.
     *
     * @param owner who runs it; null if that is not known
     * @throws IOException when the node has as many jobs as it may have
     */
    RunningJob launch(final RunRequest run, final @Nullable String owner, final InputStream files, final JobClient client) throws IOException {
        return jobs.launch(JobPlan.of(run, owner), files, client);
    }

    /** What this node does when the members of the cluster change. */
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
            final CompletionStage<Void> ready = opened;
            ready.thenRun(() -> {
                statuses.update();
                recovery.start();
                settlement.wake();
                clusterModules.tell(store.quarantine().records());
            });
        }
    }

    /** The nodes of the cluster, and what this node asks them. */
    private final class Nodes implements NodeStatusPublisher.Nodes, ModuleRecovery.Nodes {
        @Override
        public List<NodeInfo> nodes() {
            return cluster.nodes();
        }

        @Override
        public @Nullable NodeReport report(final String node) {
            return cluster.questions().ask(node, NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT);
        }

        @Override
        public Map<String, Catalogue> catalogues() {
            opened.join();
            return NodeService.this.catalogues();
        }

        @Override
        public @Nullable String send(final String node, final ModuleId module) {
            return cluster.questions().ask(node, ModuleQuestions.class, n -> n.send(module, settings.name()));
        }
    }

    /** Answers the questions of other nodes about this one. */
    private final class Answers implements NodeQuestions {
        @Override
        public CompletionStage<NodeReport> report() {
            return CompletableFuture.completedStage(NodeService.this.report());
        }

        @Override
        public CompletionStage<NodeHealth> examine() {
            return CompletableFuture.completedStage(examineHere());
        }

        @Override
        public CompletionStage<@Nullable String> lookup(final String name) {
            return CompletableFuture.completedStage(names.here(name));
        }

        @Override
        public void stop() {
            stopHere();
        }
    }

    /** Tells the jobs that this node coordinates, and the other nodes, which modules are in quarantine now. */
    private void quarantined(final List<QuarantinedModule> changed) {
        jobs.quarantined(changed);
        jvms.quarantined(changed);
        clusterModules.tell(changed);
    }

    @Override
    public NodeReport report() {
        return new NodeReport(cluster.self(), host.running() + jvms.running(), modules.catalogue(), transports.schemes(), jobs.infos(),
            NodeLoad.now(context.getBundle().getVersion().toString(), host.schedules().plus(jvms.schedules()), proofs.counts().plus(jvms.proofs()),
                host.messages().plus(jvms.messages())),
            warnings());
    }

    private List<String> warnings() {
        final List<String> warnings = new ArrayList<>();
        if (isOpen) {
            warnings.add("everybody who reaches it may do everything, " + NodeProperties.SECRET + "=" + NodeAccess.NONE
                + "; make a secret with: tutti secure init");
        }
        return warnings;
    }

    @Override
    public List<JobRecord> history() {
        return history.jobs();
    }

    @Override
    public List<JobRecord> histories() throws IOException {
        checkListens();
        return jobs.histories();
    }

    @Override
    public NodeCounts counts() {
        checkListens();
        final Cluster.Changes changes = cluster.changes();
        final JobHistory.Counts counts = history.counts();
        return new NodeCounts(cluster.nodes().size(), changes.joined(), changes.left(), changes.lost(), counts.started(), counts.ended(),
            counts.checkpoints(), counts.checkpointsFailed(), counts.checkpointBytes());
    }

    private void checkListens() {
        if (cluster == null) {
            throw new IllegalStateException("node " + settings.name() + " cannot listen on " + settings.listen() + ": change configuration "
                + NodeProperties.PID);
        }
    }

    /**
     * Returns the reports of all nodes, in name order. Blocks.
     *
     * @throws IllegalStateException when this node cannot listen
     */
    @Override
    public List<NodeReport> reports() {
        checkListens();
        final List<NodeReport> all = new ArrayList<>();
        all.add(report());
        all.addAll(cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report, ClusterQuestions.LOOK_LIMIT).values());
        all.sort(Comparator.comparing(r -> r.node().name()));
        return all;
    }

    /** Returns the reports of all nodes that are not lost, by name. Blocks. */
    private Map<String, NodeReport> allReports() {
        final Map<String, NodeReport> all = new TreeMap<>(cluster.questions().askAll(NodeQuestions.class, NodeQuestions::report));
        all.put(self.name(), report());
        return all;
    }

    /** Ends a job, whichever node coordinates it; returns whether it was found. Blocks. */
    public boolean cancel(final String job) {
        return jobs.cancelAnywhere(job);
    }

    @Override
    public List<LostNode> lost() {
        return lost.without(cluster.nodes());
    }

    @Override
    public @Nullable Role pageRole(final String token) {
        return page.role(token);
    }

    /** Returns where the live page of this node is, for a command with a role; or why there is none. */
    Reply findPage(final Role role) {
        return page.find(role);
    }

    @Override
    public @Nullable JobActivity ranks(final String id) {
        return jobs.findRanks(id);
    }

    @Override
    public @Nullable JobMeasurements measurements(final String job) throws IOException {
        checkListens();
        return measurements.find(job);
    }

    @Override
    public boolean read(final JobMeasurements of, final String name, final ChunkReceiver to) throws IOException {
        return measurements.read(of, name, to);
    }

    @Override
    public byte[] output(final String mainClass, final List<String> args, final int ranks, final String user)
        throws IOException, InterruptedException {
        checkListens();
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
        checkListens();
        return QueryJob.run(ExplainProgram.CLASS, program.arguments(), ranks, parameters, user, jobs);
    }

    /**
     * Returns what all nodes hold of checkpoints; nodes that cannot answer are missing. Blocks.
     */
    public List<HeldCheckpoint> checkpointsHeld() {
        checkListens();
        return checkpoints.list();
    }

    /**
     * Removes the checkpoints of a series from all nodes, unless a job uses them; the reply says why not. Blocks.
     */
    public Reply removeCheckpoints(final String series) {
        checkListens();
        return checkpoints.remove(series);
    }

    /** Returns the checkpoints of the cluster. */
    ClusterCheckpoints checkpoints() {
        return checkpoints;
    }

    @Override
    public ClusterHealth examine() throws IOException {
        final CompletableFuture<NodeHealth> own = CompletableFuture.supplyAsync(this::examineHere, task -> Thread.ofVirtual().start(task));
        final List<String> members = cluster.nodes().stream().map(NodeInfo::name).filter(n -> !n.equals(self.name())).toList();
        final Map<String, NodeHealth> answers = cluster.questions().askAll(NodeQuestions.class, NodeQuestions::examine, NodeExamination.LIMIT);
        final List<NodeHealth> nodes = new ArrayList<>(answers.values());
        nodes.addFirst(own.join());
        return new ClusterHealth(nodes, members.stream().filter(m -> !answers.containsKey(m)).toList(),
            lost().stream().collect(Collectors.toMap(LostNode::name, LostNode::reason)));
    }

    private NodeHealth examineHere() {
        final NodeHealth health = NodeExamination.of(control, self, context.getBundle().getVersion().toString(), settings.folder(),
            cluster.nodes().stream().filter(n -> !n.name().equals(self.name())).toList());
        return health.unreachable().isEmpty()
            ? health.with(cluster.links().ofSuccessor(cluster.nodes().stream().map(NodeInfo::name).sorted().toList()))
            : health;
    }

    /** Joins the nodes of the settings, and publishes how far that is. */
    private final class Seeds implements ClusterSeeds.Joiner {
        @Override
        public NodeInfo join(final HostPort address) throws IOException {
            final NodeInfo seed = cluster.join(address);
            publish(Map.of(NodeProperties.JOINED, "true"));
            clusterModules.lacking();
            return seed;
        }

        @Override
        public void failed(final HostPort address, final Exception failure) {
            publish(Map.of(failure instanceof RefusedException ? NodeProperties.REFUSED : NodeProperties.NOT_JOINED,
                "node at " + address + ": " + Protocol.oneLine(failure)));
        }
    }

    /** Joins another cluster; the reply names its modules that this node lacks, or says that the other node refuses this one. Blocks. */
    Reply join(final HostPort seed) throws IOException {
        try {
            cluster.join(seed);
            return new Reply(ExitStatus.OK, clusterModules.lacking());
        } catch (final RefusedException e) {
            return new Reply(ExitStatus.DENIED,
                "the cluster at " + seed + " refuses this node: " + Protocol.oneLine(e));
        }
    }

    /** Returns the catalogue of each node, by name. Blocks. */
    private Map<String, Catalogue> catalogues() {
        final Map<String, Catalogue> all = new TreeMap<>();
        allReports().forEach((name, r) -> all.put(name, r.catalogue()));
        return all;
    }

    @Override
    public Reply change(final ModuleChange change, final boolean force, final @Nullable Path file) throws InterruptedException {
        return clusterModules.change(change, force, file);
    }

    @Override
    public String name() {
        return settings.name();
    }

    /** Returns a new folder for a file that a client sends. */
    Path incoming() {
        return settings.folder().resolve("incoming-" + numbers.incrementAndGet());
    }

    /** Stops another node of the cluster; returns whether there is one. Blocks. */
    boolean stopOther(final String node) {
        return cluster.questions().tell(node, NodeQuestions.class, NodeQuestions::stop);
    }

    /** Stops the other nodes of the cluster. Blocks. */
    void stopOthers() {
        cluster.nodes().stream().skip(1).forEach(n -> stopOther(n.name()));
    }

    /** Stops this node or its framework, on a thread that does not belong to this node: it closes, then the transport sends what was posted. */
    void stopHere() {
        switch (settings.stop()) {
            case NODE -> Thread.ofPlatform().daemon().name("tutti-stop").start(configured::stop);
            case FRAMEWORK -> {
                try {
                    context.getBundle(Constants.SYSTEM_BUNDLE_ID).stop();
                } catch (final BundleException e) {
                    LOG.error("framework cannot be stopped: end its process", e);
                }
            }
        }
    }
}
