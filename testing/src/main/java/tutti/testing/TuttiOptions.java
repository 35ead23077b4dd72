package tutti.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ops4j.pax.exam.CoreOptions;
import org.ops4j.pax.exam.Option;

/**
 * Options of Pax Exam that make a container a node of a Tutti cluster. Stateless.
 *
 * <p>The container may be any of Pax Exam's: native, in the JVM of the test, or forked. With a native one:
 *
 * <pre>{@code
 * NativeTestContainer container = (NativeTestContainer) PaxExamRuntime.getTestContainerFactory(NativeTestContainerFactory.class)
 *     .create(PaxExamRuntime.createServerSystem(CoreOptions.options(CoreOptions.workingDirectory(folder.toString()),
 *         TuttiOptions.node("a", folder.resolve("node")), TuttiOptions.module(Path.of("target/my.module.jar")))))[0];
 * container.start();
 * }</pre>
 *
 * <p>The registry of the container then has the module's service, and the node's with its address as property {@code tutti.node.address}. Pax Exam
 * must not add a logging bundle of its own, whose version is older: {@code pax.exam.logging=none} in {@code exam.properties}.
 *
 * @see TuttiCluster for several nodes, jobs and changes of modules
 */
public final class TuttiOptions {
    private TuttiOptions() {}

    /**
     * Returns the bundles of a node and its configuration: it listens on a free port of the loopback interface.
     *
     * @param name   name of the node, unique in its cluster
     * @param folder folder for the node's files; created when it is missing
     * @param join   addresses of nodes whose cluster it joins, as {@code HOST:PORT}; may start before them
     * @throws IllegalStateException when no distribution is found; the message says what to do
     */
    public static Option node(final String name, final Path folder, final String... join) {
        return CoreOptions.composite(
            CoreOptions.composite(Installation.find().bundles().stream().map(b -> CoreOptions.bundle(b.toUri().toString())).toArray(Option[]::new)),
            CoreOptions.frameworkProperty("tutti.node.name").value(name), CoreOptions.frameworkProperty("tutti.node.listen").value("127.0.0.1:0"),
            CoreOptions.frameworkProperty("tutti.node.folder").value(folder.toAbsolutePath().toString()),
            CoreOptions.frameworkProperty("tutti.node.join").value(String.join(",", join)));
    }

    /**
     * Returns the bundle of a module, which the container starts.
     *
     * @param jar file of the bundle
     * @throws UncheckedIOException when there is no such file: the build must have packed it before the test
     */
    public static Option module(final Path jar) {
        return CoreOptions.bundle(existing(jar).toUri().toString());
    }

    /** Returns the absolute path of a module's file. */
    static Path existing(final Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw new UncheckedIOException(new IOException("no such module: file=" + jar.toAbsolutePath()
                + "; the test must run after the build has packed it, in phase integration-test for example"));
        }
        return jar.toAbsolutePath();
    }
}
