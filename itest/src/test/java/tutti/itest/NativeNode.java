package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.systemPackage;
import static org.ops4j.pax.exam.CoreOptions.workingDirectory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Dictionary;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.nat.internal.NativeTestContainer;
import org.ops4j.pax.exam.nat.internal.NativeTestContainerFactory;
import org.ops4j.pax.exam.spi.PaxExamRuntime;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;

/** A Felix container in this JVM with all bundles, which becomes node n. */
final class NativeNode implements AutoCloseable {
    private final NativeTestContainer container;

    /** Starts the bundles that every container starts, and {@code more}. */
    NativeNode(final Path dir, final Path... more) throws IOException {
        final Option[] bundles = Stream.concat(ProjectPaths.bundles().stream(), List.of(more).stream()).map(p -> bundle(p.toUri().toString()))
            .toArray(Option[]::new);
        container = (NativeTestContainer) PaxExamRuntime.getTestContainerFactory(NativeTestContainerFactory.class)
            .create(PaxExamRuntime.createServerSystem(options(workingDirectory(dir.resolve("exam").toString()), logging(),
                frameworkProperty("tutti.node.name").value("n"), frameworkProperty("tutti.node.listen").value("127.0.0.1:0"),
                frameworkProperty("tutti.node.folder").value(dir.resolve("node").toString()), frameworkProperty("tutti.node.jvms").value("1"),
                composite(bundles))))[0];
        container.start();
    }

    /** Exports slf4j of this JVM from the system bundle. */
    private static Option logging() {
        return composite(systemPackage("org.slf4j;version=2.0.20"), systemPackage("org.slf4j.event;version=2.0.20"),
            systemPackage("org.slf4j.helpers;version=2.0.20"), systemPackage("org.slf4j.spi;version=2.0.20"),
            systemPackage("org.slf4j;version=1.7.36"), systemPackage("org.slf4j.helpers;version=1.7.36"));
    }

    /** Returns the context of the system bundle. */
    BundleContext context() {
        return container.getSystemBundle().getBundleContext();
    }

    /** Returns the state of the system bundle. */
    int state() {
        return container.getSystemBundle().getState();
    }

    /** Sets the attributes of configuration {@code tutti.node}. */
    void configure(final Map<String, ?> attributes) throws IOException {
        // the interfaces of Config Admin are those of a bundle: not on the class path of the tests
        final ServiceReference<?> admin = context().getServiceReference("org.osgi.service.cm.ConfigurationAdmin");
        try {
            final Object configuration = admin.getBundle().loadClass("org.osgi.service.cm.ConfigurationAdmin")
                .getMethod("getConfiguration", String.class, String.class).invoke(context().getService(admin), "tutti.node", "?");
            admin.getBundle().loadClass("org.osgi.service.cm.Configuration").getMethod("update", Dictionary.class)
                .invoke(configuration, new Hashtable<>(attributes));
        } catch (final ReflectiveOperationException e) {
            throw new IOException("configuration cannot be set", e);
        }
    }

    /** Waits until the node listens; returns its address. */
    String awaitAddress() throws Exception {
        final ServiceTracker<Object, Object> node = new ServiceTracker<>(context(), FrameworkUtil.createFilter("(tutti.node.address=*)"), null);
        node.open(true);
        try {
            assertNotNull(node.waitForService(60_000), "no node listens");
            return (String) node.getServiceReference().getProperty("tutti.node.address");
        } finally {
            node.close();
        }
    }

    @Override
    public void close() {
        container.stop();
    }
}
