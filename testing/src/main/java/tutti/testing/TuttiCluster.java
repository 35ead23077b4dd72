package tutti.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster of Felix containers for the tests of a class, each in a JVM of its own, with modules that are installed as an operator would.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TuttiCluster CLUSTER = TuttiCluster.of(3).module(Path.of("target/my.module.jar"));
 *
 * @Test
 * void shouldServeBcast() {
 *     CLUSTER.run(5, MyProgram.class, "-p", "coll.select=mine,basic");
 *     assertTrue(CLUSTER.tutti("explain", "bcast", "-n", "5").contains("mine 1.0.0"));
 * }
 * }</pre>
 *
 * <p>The nodes are named {@code a}, {@code b} and so on, listen on free ports of the loopback interface, and have their files in a temporary folder.
 * When a test fails, the stacks of all threads of the containers are printed to standard error. The containers end with this JVM, however that ends.
 * Without JUnit's extension, call {@link #start} and
 * {@link #close}.
 *
 * <p><b>Threads.</b> Safe for any thread after {@link #start}. <b>Errors.</b> A cluster that cannot be started, a module that is refused and a
 * command that fails end the test with an {@link AssertionError} that has what was printed.
 */
public final class TuttiCluster implements BeforeAllCallback, AfterAllCallback, AfterTestExecutionCallback, AutoCloseable {
    private static final int MOST_NODES = 26;
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(5);

    private final int size;
    private final List<Path> modules = new ArrayList<>();
    private @Nullable Containers containers;

    /** The containers of a cluster that is started, with the folder of their files. */
    private record Containers(Installation installation, Path folder, List<Node> nodes) {}

    /** A container that has been started, with the file of its output. */
    private record Node(String name, Process process, Path output) {
        /** Waits until the node listens; returns its address. */
        String awaitAddress() {
            final String ready = "ready " + name + " ";
            final long end = System.nanoTime() + LIMIT.toNanos();
            while (System.nanoTime() < end) {
                final String printed = read(output);
                final int at = printed.indexOf(ready);
                if (at >= 0 && printed.indexOf('\n', at) > 0) {
                    return printed.substring(at + ready.length(), printed.indexOf('\n', at)).strip();
                }
                try {
                    if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                        throw new AssertionError("node " + name + " ended with status " + process.exitValue() + ": " + read(output));
                    }
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted while node " + name + " started", e);
                }
            }
            throw new AssertionError("node " + name + " does not listen after " + LIMIT.toSeconds() + " s: " + read(output));
        }
    }

    private TuttiCluster(final int size) {
        this.size = size;
    }

    /**
     * Returns a cluster that is not started.
     *
     * @param nodes number of nodes, 1 to 26
     */
    public static TuttiCluster of(final int nodes) {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("number of nodes out of range: nodes=" + nodes + ", range=1.." + MOST_NODES);
        }
        return new TuttiCluster(nodes);
    }

    /**
     * Adds a module, which {@link #start} installs on all nodes.
     *
     * @param jar file of the bundle
     */
    public TuttiCluster module(final Path jar) {
        modules.add(jar);
        return this;
    }

    /** Starts the containers, waits until they are one cluster, and installs the modules. */
    public synchronized void start() {
        if (containers != null) {
            throw new IllegalStateException("the cluster is started already");
        }
        modules.forEach(TuttiOptions::existing);
        final Installation installation = Installation.find();
        try {
            final Containers started = new Containers(installation, Files.createTempDirectory("tutti-cluster"), new ArrayList<>());
            containers = started;
            for (int i = 0; i < size; i++) {
                start(started, Character.toString('a' + i));
            }
            started.nodes().forEach(Node::awaitAddress);
            modules.forEach(m -> tutti("install", m.toAbsolutePath().toString()));
        } catch (final IOException e) {
            close();
            throw new UncheckedIOException("containers cannot be started", e);
        } catch (final RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    private static void start(final Containers cluster, final String name) throws IOException {
        final Path output = cluster.folder().resolve(name + ".out");
        final List<String> command = new ArrayList<>(List.of(cluster.installation().command().toString(), "daemon", "--held", "--name", name, "--dir",
            cluster.folder().resolve(name).toString()));
        if (!cluster.nodes().isEmpty()) {
            command.addAll(List.of("--join", cluster.nodes().getFirst().awaitAddress()));
        }
        cluster.nodes().add(new Node(name, process(command).redirectErrorStream(true).redirectOutput(output.toFile()).start(), output));
    }

    private synchronized Containers started() {
        final Containers running = containers;
        if (running == null) {
            throw new IllegalStateException("the cluster is not started: register it as a static extension, or call start()");
        }
        return running;
    }

    private static ProcessBuilder process(final List<String> command) {
        final ProcessBuilder process = new ProcessBuilder(command);
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return process;
    }

    private static String read(final Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (final IOException e) {
            throw new UncheckedIOException("output cannot be read: " + file, e);
        }
    }

    /** Returns the address of node {@code a}, as {@code HOST:PORT}. */
    public String address() {
        return started().nodes().getFirst().awaitAddress();
    }

    /**
     * Runs a command of {@code tutti} on the cluster; option {@code --connect} is added.
     *
     * @param command command, options and arguments: {@code "explain", "bcast", "-n", "5"}
     */
    public CommandResult execute(final String... command) {
        final List<String> line = new ArrayList<>(List.of(started().installation().command().toString(), command[0], "--connect", address()));
        line.addAll(List.of(command).subList(1, command.length));
        try {
            final Process process =
                process(line).redirectInput(ProcessBuilder.Redirect.from(new File(File.separatorChar == '/' ? "/dev/null" : "NUL")))
                    .start();
            final CompletableFuture<String> out = CompletableFuture.supplyAsync(() -> readAll(process.inputReader()));
            final CompletableFuture<String> err = CompletableFuture.supplyAsync(() -> readAll(process.errorReader()));
            if (!process.waitFor(COMMAND_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                dumpThreads();
                process.destroyForcibly();
                throw new AssertionError("command did not end within " + COMMAND_LIMIT.toSeconds() + " s: " + line);
            }
            return new CommandResult(process.exitValue(), out.join(), err.join());
        } catch (final IOException | CompletionException e) {
            throw new AssertionError("command cannot be run: " + line, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while a command ran: " + line, e);
        }
    }

    private static String readAll(final BufferedReader reader) {
        return reader.lines().map(l -> l + "\n").collect(Collectors.joining());
    }

    /** Runs a command like {@link #execute}, which must succeed; returns its standard output. */
    public String tutti(final String... command) {
        final CommandResult result = execute(command);
        if (result.status() != 0) {
            throw new AssertionError("status " + result.status() + " of tutti " + String.join(" ", command) + "\n" + result.out() + result.err());
        }
        return result.out();
    }

    /**
     * Runs a program, which must succeed; returns its standard output.
     *
     * @param ranks   number of ranks
     * @param program class with {@code main}, that uses package {@code mpi}; the classes beside it may be used, too
     * @param options options of {@code tutti run}
     */
    public String run(final int ranks, final Class<?> program, final String... options) {
        final List<String> command = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks)));
        command.addAll(List.of(options));
        command.addAll(List.of("--cp", classPath(program), program.getName()));
        return tutti(command.toArray(String[]::new));
    }

    private static String classPath(final Class<?> program) {
        try {
            return Path.of(program.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (final URISyntaxException e) {
            throw new IllegalArgumentException("class is in no file: " + program, e);
        }
    }

    private void dumpThreads() {
        final Containers cluster = started();
        for (final Node node : cluster.nodes()) {
            try {
                final Path dump = Files.createTempFile(cluster.folder(), "threads", ".txt");
                new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(node.process().pid()),
                    "Thread.print")
                    .redirectErrorStream(true).redirectOutput(dump.toFile()).start().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
                System.err.println("node " + node.name() + "\n" + read(node.output()) + read(dump));
            } catch (final IOException e) {
                System.err.println("no thread dump of node " + node.name() + ": " + e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Stops the containers and deletes their files. Idempotent. */
    @Override
    public synchronized void close() {
        final Containers cluster = containers;
        if (cluster == null) {
            return;
        }
        containers = null;
        cluster.nodes().forEach(n -> n.process().destroy());
        for (final Node node : cluster.nodes()) {
            try {
                if (!node.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    node.process().destroyForcibly();
                }
            } catch (final InterruptedException e) {
                node.process().destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        try (Stream<Path> files = Files.walk(cluster.folder())) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (final IOException e) {
            throw new UncheckedIOException("files cannot be deleted: " + cluster.folder(), e);
        }
    }

    @Override
    public void beforeAll(final ExtensionContext context) {
        start();
    }

    @Override
    public void afterTestExecution(final ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            dumpThreads();
        }
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        close();
    }
}
