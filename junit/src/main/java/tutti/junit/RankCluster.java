package tutti.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Nodes for the tests of this JVM, each in a JVM of its own, on free ports of the loopback interface, with a secret of their own. They end when
 * {@link #close} is called, and with this JVM however it ends, since their input ends then.
 *
 * <p>Safe for any thread.
 */
final class RankCluster implements AutoCloseable {
    /** A thread for each stream that is read: those of the common pool may be fewer than the streams of a process. */
    static final Executor READERS = reading -> Thread.ofPlatform().daemon().name("tutti-output").start(reading);

    private static final long START_SECONDS = 120;
    private static final long STOP_SECONDS = 10;
    private static final long DUMP_SECONDS = 20;
    private static final int SECRET_BYTES = 32;
    /** The last line of a node. */
    private static final String GONE = "gone";
    private static final String OPTIONS = "TUTTI_DAEMON_OPTS";
    /** The main threads of ranks in a dump of threads, each with its stack. */
    private static final Pattern RANK = Pattern.compile("^\"tutti-[^\"]+-rank\\d+\"(?:.*\\R)+?(?=\\R|\\z)", Pattern.MULTILINE);

    private final Path folder;
    private final Path rankClasses;
    private final List<Node> nodes = new ArrayList<>();

    /** A node: its process, and the address that it will print. */
    private record Node(String name, Process process, CompletableFuture<String> address) {
        String awaitAddress() {
            try {
                return address.get(START_SECONDS, TimeUnit.SECONDS);
            } catch (final ExecutionException e) {
                throw new IllegalStateException(Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
            } catch (final TimeoutException e) {
                throw new IllegalStateException("node " + name + " does not listen after " + START_SECONDS + " s", e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while node " + name + " started", e);
            }
        }

        /** Reads the output of the node until it ends. */
        void readLines() {
            final String ready = "ready " + name + " ";
            final StringBuilder printed = new StringBuilder();
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    if (line.startsWith(ready)) {
                        address.complete(line.substring(ready.length()).strip());
                    } else if (address.isDone() && !line.equals(GONE)) {
                        System.err.println("node " + name + ": " + line);
                    } else {
                        printed.append('\n').append(line);
                    }
                }
            } catch (final IOException e) {
                printed.append('\n').append(e);
            }
            address.completeExceptionally(new IllegalStateException("node " + name + " did not start:" + printed));
        }
    }

    private RankCluster() throws IOException {
        folder = Files.createTempDirectory("tutti-junit");
        rankClasses = folder.resolve("rank.jar");
    }

    /**
     * Starts nodes, and waits until they are one cluster.
     *
     * @throws IllegalStateException when they do not start; the message says why
     */
    static RankCluster start(final int size) {
        try {
            final RankCluster cluster = new RankCluster();
            try {
                cluster.startNodes(size);
                return cluster;
            } catch (final IOException | RuntimeException e) {
                cluster.close();
                throw e;
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("nodes cannot be started", e);
        }
    }

    private void startNodes(final int size) throws IOException {
        ClassPath.writeRankClasses(rankClasses);
        final byte[] key = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(key);
        final String secret = "tutti-secret node " + HexFormat.of().formatHex(key) + "\n";
        // a temporary folder is its owner's, and so is a temporary file
        Files.writeString(Files.move(Files.createTempFile(folder, "secret", ""), secretFile()), secret);
        for (int i = 0; i < size; i++) {
            startNode(Character.toString('a' + i), size, secret);
        }
        nodes.forEach(Node::awaitAddress);
    }

    private void startNode(final String name, final int size, final String secret) throws IOException {
        final List<String> line = new ArrayList<>(List.of(TuttiHome.command().toString(), "daemon", "--launched-by", "local", "--name", name));
        if (!nodes.isEmpty()) {
            line.addAll(List.of("--join", nodes.getFirst().awaitAddress()));
        }
        final ProcessBuilder builder = RankLauncher.command(line).redirectErrorStream(true);
        final int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / size);
        builder.environment().merge(OPTIONS, "-Dtutti.cores=" + cores, (given, own) -> own + " " + given);
        final Process process = builder.start();
        final Node node = new Node(name, process, new CompletableFuture<>());
        nodes.add(node);
        final OutputStream input = process.getOutputStream();
        input.write(secret.getBytes(StandardCharsets.US_ASCII));
        input.flush();
        READERS.execute(node::readLines);
    }

    private Path secretFile() {
        return folder.resolve("cluster-secret");
    }

    /** Returns a new folder for a test. */
    Path newFolder() throws IOException {
        return Files.createTempDirectory(folder, "test");
    }

    /** Returns the jar with the classes that run tests on ranks. */
    Path rankClasses() {
        return rankClasses;
    }

    /** Returns a process that runs a command of {@code tutti} on the nodes. */
    ProcessBuilder command(final String name, final List<String> arguments) {
        final List<String> line = new ArrayList<>(List.of(TuttiHome.command().toString(), name, "--connect", nodes.getFirst().awaitAddress()));
        line.addAll(arguments);
        final ProcessBuilder builder = RankLauncher.command(line);
        builder.environment().put("TUTTI_SECRET", secretFile().toString());
        return builder;
    }

    /** Returns whether all nodes run. */
    boolean isAlive() {
        return nodes.stream().allMatch(n -> n.process().isAlive());
    }

    /** Returns the stacks of the main threads of the ranks that run on the nodes. */
    String stacks() throws InterruptedException {
        final StringBuilder stacks = new StringBuilder();
        for (final Node node : nodes) {
            try {
                final Process dump = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                    Long.toString(node.process().pid()), "Thread.print").redirectErrorStream(true).start();
                final CompletableFuture<String> text = CompletableFuture.supplyAsync(() -> read(dump.getInputStream()), READERS);
                if (!dump.waitFor(DUMP_SECONDS, TimeUnit.SECONDS)) {
                    dump.destroyForcibly();
                }
                stacks.append(RANK.matcher(text.get(DUMP_SECONDS, TimeUnit.SECONDS)).results().map(m -> "node " + node.name() + " " + m.group())
                    .collect(Collectors.joining()));
            } catch (final IOException | ExecutionException | TimeoutException e) {
                stacks.append("no stacks of node ").append(node.name()).append(": ").append(e).append('\n');
            }
        }
        return stacks.toString();
    }

    /** Returns all of a stream as text. */
    private static String read(final InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException("output of jcmd cannot be read", e);
        }
    }

    /** Ends the nodes and deletes their files. Idempotent. */
    @Override
    public void close() {
        for (final Node node : nodes) {
            try {
                node.process().getOutputStream().close();
            } catch (final IOException e) {
                node.process().destroy();
            }
        }
        for (final Node node : nodes) {
            try {
                if (!node.process().waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    node.process().destroyForcibly();
                }
            } catch (final InterruptedException e) {
                node.process().destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
        nodes.clear();
        try {
            if (Files.exists(folder)) {
                TuttiHome.delete(folder);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("files cannot be deleted: " + folder, e);
        }
    }
}
