package tutti.daemon.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Dictionary;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import tutti.daemon.node.NodeProperties;
import tutti.runtime.process.LogLines;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConfiguredNodeTest {
    @TempDir
    private Path folder;
    @RegisterExtension
    private final LogLines log = new LogLines(ConfiguredNode.class);
    private final List<String> events = new CopyOnWriteArrayList<>();
    /** Released when a node may start. */
    private final CountDownLatch mayStart = new CountDownLatch(1);
    private final CountDownLatch starts = new CountDownLatch(1);

    private BundleContext context() {
        return fake(BundleContext.class, (proxy, method, args) -> switch (method.getName()) {
            case "getProperty" -> null;
            case "getDataFile" -> folder.toFile();
            // a component that needs the service is activated in the thread that registers it
            case "registerService" -> {
                final Object name = ((Dictionary<?, ?>) args[2]).get(NodeProperties.NAME);
                starts.countDown();
                assertTrue(mayStart.await(60, TimeUnit.SECONDS));
                events.add("start " + name);
                yield fake(ServiceRegistration.class, (p, m, a) -> {
                    events.add(m.getName() + " " + name);
                    return null;
                });
            }
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private static <T> T fake(final Class<T> type, final InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(ConfiguredNodeTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Map<String, String> named(final String name) {
        return Map.of("name", name, "secret", "none");
    }

    @Test
    void shouldNotKeepTheThreadThatTellsOfAChangeWhileANodeStarts() throws Exception {
        final ConfiguredNode node = new ConfiguredNode(context());
        node.configure(Map.of());
        node.change(named("d"));
        assertTrue(starts.await(60, TimeUnit.SECONDS));
        node.change(named("e"));
        assertEquals(List.of(), events);
        mayStart.countDown();
        node.close();
        assertEquals(List.of("start d", "unregister d", "start e", "unregister e"), events);
    }

    @Test
    void shouldSayWhyANodeIsNotStarted() {
        mayStart.countDown();
        final ConfiguredNode node = new ConfiguredNode(context());
        node.configure(Map.of("name", "d", "secret", "none", "ranks", "many"));
        node.close();
        assertEquals(1, log.lines().size());
        log.assertLine("node is not started: ");
        assertTrue(log.lines().getFirst().contains("tutti.node.ranks=many"), log.lines()::toString);
    }

    @Test
    void shouldRestartNothingWhenAChangeSetsTheSameValues() {
        mayStart.countDown();
        final ConfiguredNode node = new ConfiguredNode(context());
        node.configure(named("d"));
        node.change(named("d"));
        node.close();
        assertEquals(List.of("start d", "unregister d"), events);
    }
}
