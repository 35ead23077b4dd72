package tutti.daemon.control;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Version;
import tutti.daemon.modules.ModuleStores;
import tutti.daemon.protocol.HostPort;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.NodeProperties;
import tutti.runtime.job.JobHost;
import tutti.runtime.transport.mina.MinaTransport;

/** Node of a daemon without a container: real sockets, and a job host from the test. */
final class TestNode implements AutoCloseable {
    private static final Parameter K = new Parameter("k", null, v -> v.equals("bad") ? "it is bad" : null);

    private final MinaTransport transport = new MinaTransport();
    private final Path folder;
    private final NodeService service;
    private final HostPort address;

    TestNode(final String name, final Path folder, final JobHost host) throws IOException {
        this.folder = folder;
        final Map<String, String> properties =
            Map.of(NodeProperties.NAME, name, NodeProperties.LISTEN, "127.0.0.1:0", NodeProperties.DIR, folder.toString());
        final Bundle bundle = fake(Bundle.class, (method, args) -> method.equals("getVersion") ? new Version(1, 0, 0) : null);
        final BundleContext context = fake(BundleContext.class, (method, args) -> switch (method) {
            case "getProperty" -> properties.get(args[0]);
            case "getBundle" -> bundle;
            default -> throw new UnsupportedOperationException(method);
        });
        final BlockingQueue<String> events = new ArrayBlockingQueue<>(8);
        service = new NodeService(context, transport, host, new OneModule(), ModuleStores.without(folder.resolveSibling(name + "-store")),
            module -> List.of(K), events::add);
        final String ready = events.remove();
        if (!ready.startsWith("ready " + name)) {
            throw new IOException(ready);
        }
        address = HostPort.parse(ready.substring(ready.lastIndexOf(' ') + 1));
    }

    /** Results of the methods of an interface, by method name. */
    private interface MethodResults {
        Object of(String method, Object[] args);
    }

    private static <T> T fake(final Class<T> type, final MethodResults answers) {
        return type.cast(Proxy.newProxyInstance(TestNode.class.getClassLoader(), new Class<?>[] {type},
            (proxy, method, args) -> answers.of(method.getName(), args)));
    }

    HostPort address() {
        return address;
    }

    Path folder() {
        return folder;
    }

    NodeService service() {
        return service;
    }

    void join(final TestNode other) throws IOException {
        service.join(new Message.Join(other.address.host(), other.address.port()));
    }

    /** Closes all links, as when the node's process dies. */
    void closeLinks() {
        transport.close();
    }

    @Override
    public void close() {
        service.close();
        transport.close();
    }
}
