package tutti.itest;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.systemPackage;
import static org.ops4j.pax.exam.CoreOptions.workingDirectory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.nat.internal.NativeTestContainer;
import org.ops4j.pax.exam.nat.internal.NativeTestContainerFactory;
import org.ops4j.pax.exam.spi.PaxExamRuntime;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;

/** A Felix container in this JVM with all bundles; becomes node n when {@link #launch} registers a launcher. */
final class NativeNode implements AutoCloseable {
    private final NativeTestContainer container;

    /** Starts the bundles that every container starts, and {@code more}. */
    NativeNode(final Path dir, final Path... more) throws IOException {
        final Option[] bundles = Stream.concat(ProjectPaths.bundles().stream(), List.of(more).stream()).map(p -> bundle(p.toUri().toString()))
            .toArray(Option[]::new);
        container = (NativeTestContainer) PaxExamRuntime.getTestContainerFactory(NativeTestContainerFactory.class)
            .create(PaxExamRuntime.createServerSystem(options(workingDirectory(dir.resolve("exam").toString()), logging(),
                frameworkProperty("tutti.node.name").value("n"), frameworkProperty("tutti.node.listen").value("127.0.0.1:0"),
                frameworkProperty("tutti.node.dir").value(dir.resolve("node").toString()), composite(bundles))))[0];
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

    /** Registers a launcher; returns the first event of the node, or null when it reports none in time. */
    String launch() throws InterruptedException {
        final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
        final Consumer<String> launcher = events::add;
        context().registerService(Consumer.class, launcher, FrameworkUtil.asDictionary(Map.of("tutti.launcher", true)));
        return events.poll(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        container.stop();
    }
}
