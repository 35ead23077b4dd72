package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.ConfiguredNode;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests what a node says of JVMs for jobs that do not start, and of others that connect as one. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class JvmPoolTest {
    @RegisterExtension
    private final LogLines log = new LogLines(JvmPool.class);
    @TempDir
    private Path dir;
    private final MinaTransport mina = new MinaTransport();
    private InetSocketAddress address;
    /** The transport of the node, which tells where the pool listens. */
    private final Transport transport = new Transport() {
        @Override
        public Listener listen(final InetSocketAddress on, final LinkAcceptor acceptor) throws IOException {
            final Listener listener = mina.listen(on, acceptor);
            address = listener.address();
            return listener;
        }

        @Override
        public Link connect(final InetSocketAddress to, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
            return mina.connect(to, hello, handler, limit);
        }
    };

    @AfterEach
    void close() {
        mina.close();
    }

    /** Opens the pool of a node in a container that stops when the node is configured. */
    private JvmPool pool(final String ready) throws IOException {
        final Map<String, String> properties = Map.of(NodeProperties.NAME, "a", NodeProperties.SECRET, "none", NodeProperties.JVMS, ready);
        final BundleContext context = (BundleContext) Proxy.newProxyInstance(BundleContext.class.getClassLoader(),
            new Class<?>[] {BundleContext.class}, (proxy, method, args) -> switch (method.getName()) {
                case "getProperty" -> properties.get(args[0]);
                case "getDataFile" -> dir.toFile();
                case "registerService" -> null;
                default -> throw new IllegalStateException("BundleContext is no longer valid");
            });
        final ConfiguredNode configured = new ConfiguredNode(context);
        configured.configure(Map.of());
        final JvmPool pool = new JvmPool(new JvmPool.Node(context, transport, configured.settings(), "127.0.0.1",
            InetAddress.getLoopbackAddress(), false, null, null, nodes -> null));
        pool.open();
        return pool;
    }

    @Test
    void shouldSayWhyAJvmHasEndedBeforeItHadAJob() throws Exception {
        final JvmPool pool = pool("1");
        log.awaitLine("a JVM for jobs has ended while it had none: pid=none: BundleContext is no longer valid");
        pool.close();
    }

    @Test
    void shouldRefuseAJvmThatItHasNotStarted() throws Exception {
        final JvmPool pool = pool("1");
        log.awaitLine("a JVM for jobs has ended while it had none");
        final ControlChannel guessing = ControlChannel.open(c -> new Recorder());
        assertEquals("not a JVM that this node has started", assertThrows(RefusedException.class,
            () -> mina.connect(address, new Hello(Protocol.JVM, "guessed".getBytes(StandardCharsets.US_ASCII)), guessing,
                Duration.ofSeconds(60)))
            .getMessage());
        pool.close();
    }
}
