package tutti.daemon.control;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.Version;
import org.osgi.service.clusterinfo.NodeStatus;
import tutti.daemon.checkpoints.NodeCheckpoints;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.cluster.ServedChannels;
import tutti.daemon.job.ClusterCheckpoints;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.job.ClusterMeasurements;
import tutti.daemon.job.JobAgreementResolver;
import tutti.daemon.job.JobHistory;
import tutti.daemon.job.MeasurementStore;
import tutti.daemon.job.Parameter;
import tutti.daemon.job.TuningStore;
import tutti.daemon.membership.jgroups.JGroupsProvider;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.modules.ModuleStores;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.JvmPool;
import tutti.daemon.part.NodeParts;
import tutti.daemon.part.PublishedNames;
import tutti.daemon.part.TransportRegistry;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.settings.ConfiguredNode;
import tutti.runtime.job.JobHost;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.mina.MinaTransport;

/** Node of a daemon without a container: real sockets, and a job host from the test. */
public final class TestNode implements AutoCloseable {
    private static final Parameter K = new Parameter("k", null, v -> v.equals("bad") ? "it is bad" : null);

    /** Secret of all nodes of tests that set none. */
    public static final ClusterSecret SECRET = ClusterSecret.random();

    private final MinaTransport transport = new MinaTransport();
    private final TransportRegistry registry = new TransportRegistry();
    private final Path folder;
    private final JobHost host;
    private final BundleContext context;
    private final ConfiguredNode configured;
    private final NodeStart start;
    /** Ends of the components, in the order in which they end. */
    private List<Runnable> components = List.of();
    private ListeningNode node;
    private NodeServer server;
    private NodeService service;
    private ClusterCheckpoints checkpoints;
    private NodeCheckpoints kept;
    private ClusterJobs jobs;
    private final ModuleStore store;
    private final CompletableFuture<Void> containerStopped = new CompletableFuture<>();
    private final CompletableFuture<Void> nodeStopped = new CompletableFuture<>();
    private volatile Dictionary<?, ?> registered;
    private volatile boolean isContainerStuck;

    public TestNode(final String name, final Path folder, final JobHost host) throws IOException {
        this(name, "127.0.0.1:0", folder, host);
    }

    public TestNode(final String name, final String listen, final Path folder, final JobHost host) throws IOException {
        this(Map.of(NodeProperties.NAME, name, NodeProperties.LISTEN, listen, NodeProperties.STOP, "framework"), folder, host);
    }

    /** Creates a node from framework properties. */
    public TestNode(final Map<String, String> properties, final Path folder, final JobHost host) throws IOException {
        this.folder = folder;
        final Path secret = folder.resolveSibling(folder.getFileName() + "-secret");
        SECRET.write(secret);
        // without a history nothing is left of a job in the node's folder; a node for one run has the ranks in its own JVM
        final Map<String, String> all = new HashMap<>(Map.of(NodeProperties.SECRET, secret.toString(), NodeProperties.HISTORY, "0",
            NodeProperties.ONE_RUN, "true"));
        all.putAll(properties);
        final BundleContext context = context(all);
        final ConfiguredNode configured = new ConfiguredNode(context);
        configured.configure(Map.of());
        this.host = host;
        this.configured = configured;
        this.context = context;
        store = ModuleStores.without(folder.resolveSibling(folder.getFileName() + "-store"));
        start = new NodeStart(context, configured, transport, host, new JGroupsProvider());
        start.open();
    }

    /** Makes the other components of a node that listens, as Declarative Services do. */
    private void listens(final Cluster cluster) throws IOException {
        final OneModule modules = new OneModule();
        final ServedChannels served = new ServedChannels(node, cluster);
        final JobTransports transports = new JobTransports(node, registry, host);
        final JobAgreementResolver resolver = new JobAgreementResolver(module -> List.of(K), store, node);
        final JvmPool jvms = new JvmPool(context, node, modules, store, resolver);
        final NodeParts parts =
            new NodeParts(context, node, cluster, host, transports, jvms, new PublishedNames(node, cluster), store);
        final JobHistory history = new JobHistory(node);
        final MeasurementStore measured = new MeasurementStore(node);
        checkpoints = new ClusterCheckpoints(parts, cluster);
        kept = parts.checkpoints();
        jobs = new ClusterJobs(context, node, cluster, served, transports, parts, resolver, checkpoints, history, measured, new TuningStore(node));
        final NodeReports reports = new NodeReports(node, modules, cluster, transports, parts, jobs);
        final ClusterModules changes = new ClusterModules(node, store, cluster, reports, jobs, jvms);
        final NodeStop stop = new NodeStop(context, configured, cluster);
        final NodeServer server = new NodeServer(context, node, cluster, served, parts, store, jobs, changes, checkpoints, reports,
            new NodeExamination(node, cluster), stop);
        final NodeStatusPublisher statuses = new NodeStatusPublisher(context, cluster, reports);
        service = new NodeService(context, node, cluster, jobs, history, new ClusterMeasurements(measured, history, cluster), server);
        this.server = server;
        components = List.of(service::close, statuses::close, changes::close, jvms::close);
    }

    private BundleContext context(final Map<String, String> properties) {
        final Bundle bundle = fake(Bundle.class, (method, args) -> switch (method) {
            case "getVersion" -> new Version(1, 0, 0);
            case "getState" -> Bundle.ACTIVE;
            case "stop" -> {
                if (isContainerStuck) {
                    throw new BundleException("a bundle does not stop");
                }
                containerStopped.complete(null);
                yield null;
            }
            default -> throw new UnsupportedOperationException(method);
        });
        return fake(BundleContext.class, (method, args) -> switch (method) {
            case "getProperty" -> properties.get(args[0]);
            case "getBundle" -> bundle;
            case "getServiceReference" -> fake(ServiceReference.class, (m, a) -> null);
            case "getService" -> jobs;
            case "registerService" -> {
                if (args[1] instanceof final ListeningNode listening) {
                    node = listening;
                } else if (args[1] instanceof final Cluster cluster) {
                    listens(cluster);
                } else if (args[0] != NodeStatus.class) {
                    registered = (Dictionary<?, ?>) args[2];
                }
                yield fake(ServiceRegistration.class, (m, a) -> {
                    // of the configured node: the node ends, as its component does
                    if (args[0] instanceof final String[] types && types[0].equals(ConfiguredNode.class.getName()) && m.equals("unregister")) {
                        start.close();
                        nodeStopped.complete(null);
                    } else if (args[1] instanceof Cluster && m.equals("unregister")) {
                        components.forEach(Runnable::run);
                        components = List.of();
                    } else if (m.equals("setProperties")) {
                        registered = (Dictionary<?, ?>) a[0];
                    }
                    return null;
                });
            }
            case "getDataFile" -> folder.toFile();
            default -> throw new UnsupportedOperationException(method);
        });
    }

    /** Results of the methods of an interface, by method name. */
    private interface MethodResults {
        Object of(String method, Object[] args) throws BundleException, IOException;
    }

    private static <T> T fake(final Class<T> type, final MethodResults answers) {
        return type.cast(Proxy.newProxyInstance(TestNode.class.getClassLoader(), new Class<?>[] {type},
            (proxy, method, args) -> answers.of(method.getName(), args)));
    }

    public HostPort address() {
        return HostPort.parse(property(NodeProperties.ADDRESS));
    }

    /** Returns a property of the service of the node; null when it is missing. */
    String property(final String name) {
        return (String) registered.get(name);
    }

    /** Lets all further attempts to stop the container fail. */
    void failToStopContainer() {
        isContainerStuck = true;
    }

    /** Completes when the node stops its container. */
    CompletableFuture<Void> containerStopped() {
        return containerStopped;
    }

    /** Completes when the node was stopped, and its container was not. */
    CompletableFuture<Void> nodeStopped() {
        return nodeStopped;
    }

    public Path folder() {
        return folder;
    }

    /** Returns what jobs and changes of modules have in the node's folder. */
    public List<Path> left() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(p -> !p.endsWith(NodeFolder.LOCK)).toList();
        }
    }

    /** Returns the store of modules. */
    ModuleStore store() {
        return store;
    }

    public NodeService service() {
        return service;
    }

    ClusterCheckpoints checkpoints() {
        return checkpoints;
    }

    /** Returns the checkpoints that this node keeps. */
    NodeCheckpoints keptCheckpoints() {
        return kept;
    }

    NodeServer server() {
        return server;
    }

    public Transport transport() {
        return transport;
    }

    public TransportRegistry registry() {
        return registry;
    }

    public void join(final TestNode other) throws IOException {
        server.join(other.address());
    }

    /** Stops the node, whose transport goes on. */
    public void stop() {
        start.close();
    }

    /** Closes all links, as when the node's process dies. */
    public void closeLinks() {
        transport.close();
    }

    @Override
    public void close() {
        stop();
        transport.close();
    }
}
