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
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.Version;
import org.osgi.service.clusterinfo.NodeStatus;
import tutti.daemon.job.Parameter;
import tutti.daemon.membership.jgroups.JGroupsProvider;
import tutti.daemon.modules.ModuleStores;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;
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
    private final NodeService service;
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
        service = new NodeService(context, transport, new JGroupsProvider(), registry, host, new OneModule(),
            ModuleStores.without(folder.resolveSibling(folder.getFileName() + "-store")), module -> List.of(K), configured);
        service.open();
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
            case "registerService" -> {
                if (args[0] != NodeStatus.class) {
                    registered = (Dictionary<?, ?>) args[2];
                }
                yield fake(ServiceRegistration.class, (m, a) -> {
                    // of the configured node: the node ends, as its component does
                    if (args[0] instanceof final String[] types && types[0].equals(ConfiguredNode.class.getName()) && m.equals("unregister")) {
                        service.close();
                        nodeStopped.complete(null);
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
        Object of(String method, Object[] args) throws BundleException;
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

    public NodeService service() {
        return service;
    }

    public Transport transport() {
        return transport;
    }

    public TransportRegistry registry() {
        return registry;
    }

    public void join(final TestNode other) throws IOException {
        service.node().join(other.address());
    }

    /** Closes all links, as when the node's process dies. */
    public void closeLinks() {
        transport.close();
    }

    @Override
    public void close() {
        service.close();
        transport.close();
    }
}
