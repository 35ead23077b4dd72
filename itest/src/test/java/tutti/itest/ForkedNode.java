package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.ops4j.pax.exam.CoreOptions.bootClasspathLibrary;
import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.CoreOptions.systemPackage;
import static org.ops4j.pax.exam.CoreOptions.vmOptions;
import static org.ops4j.pax.exam.CoreOptions.workingDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.TestContainer;
import org.ops4j.pax.exam.forked.ForkedTestContainerFactory;
import org.ops4j.pax.exam.spi.PaxExamRuntime;

/**
 * A node in a Pax Exam container with a JVM of its own, not started by Tutti's launcher.
 *
 * <p>Nodes are started one after the other: two that look for a port for their RMI registry at the same time may find the same one.
 */
final class ForkedNode implements AutoCloseable {
    final String address;
    private final TestContainer container;
    private boolean closed;

    ForkedNode(final Path dir, final Path reporter, final String name) throws IOException {
        final Path report = dir.resolve(name + ".address");
        container = PaxExamRuntime.getTestContainerFactory(ForkedTestContainerFactory.class)
            .create(PaxExamRuntime.createServerSystem(options(workingDirectory(dir.resolve(name + "-exam").toString()), jvm(), logging(),
                frameworkProperty("tutti.node.name").value(name), frameworkProperty("tutti.node.listen").value("127.0.0.1:0"),
                frameworkProperty("tutti.node.folder").value(dir.resolve(name).toString()),
                frameworkProperty(NodeReporter.FILE).value(report.toString()), bundles(reporter))))[0];
        container.start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(report) && Files.readString(report).endsWith("\n"));
            final String line = Files.readAllLines(report).getFirst();
            if (!line.matches(name + " 127\\.0\\.0\\.1:[1-9][0-9]*")) {
                throw new IllegalStateException("not the address of node " + name + ": " + line);
            }
            address = line.substring(name.length() + 1);
        } catch (final IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Option jvm() {
        return vmOptions("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.access=ALL-UNNAMED", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            // the nodes share this machine
            "-Dtutti.cores=1", "-Dlogback.configurationFile=" + Path.of("src/test/resources/logback-test.xml").toAbsolutePath());
    }

    /** Puts slf4j and logback on the class path of the JVM; bundles import them from the system bundle. */
    private static Option logging() {
        return composite(systemPackage("org.slf4j;version=2.0.20"), systemPackage("org.slf4j.event;version=2.0.20"),
            systemPackage("org.slf4j.helpers;version=2.0.20"), systemPackage("org.slf4j.spi;version=2.0.20"),
            systemPackage("org.slf4j;version=1.7.36"), systemPackage("org.slf4j.helpers;version=1.7.36"),
            boot("slf4j-api"), boot("logback-core"), boot("logback-classic"));
    }

    private static Option boot(final String jar) {
        return bootClasspathLibrary(ProjectPaths.BOOT.resolve(jar + ".jar").toUri().toString()).afterFramework();
    }

    private static Option bundles(final Path reporter) throws IOException {
        final List<Option> all = new ArrayList<>();
        for (final Path jar : ProjectPaths.bundles()) {
            all.add(bundle(jar.toUri().toString()));
        }
        all.add(bundle(reporter.toUri().toString()));
        return composite(all.toArray(Option[]::new));
    }

    /** Stops the container, which ends its JVM. */
    @Override
    public void close() {
        // a second stop would throw
        if (!closed) {
            closed = true;
            container.stop();
        }
    }
}
