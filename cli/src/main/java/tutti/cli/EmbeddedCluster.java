package tutti.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;

/**
 * Cluster of daemons on loopback, each in a JVM of its own, for one run. They end with this process even when it is killed: each daemon ends when
 * its standard input ends.
 */
final class EmbeddedCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCluster.class);
    private static final long START_SECONDS = 30;
    private static final long STOP_SECONDS = 3;

    /** Tuning of the JVMs. */
    enum Tuning {
        /** Fast execution, for programs that compute. */
        SPEED,
        /** Fast start, for one short job. */
        START
    }

    private final List<Node> nodes = new ArrayList<>();

    private EmbeddedCluster() {}

    /** Starts {@code count} daemons and returns at once. */
    static EmbeddedCluster start(final int count, final Tuning tuning) {
        final EmbeddedCluster cluster = new EmbeddedCluster();
        try {
            for (int i = 0; i < count; i++) {
                cluster.spawn("n" + i, Math.max(1, Runtime.getRuntime().availableProcessors() / count), tuning);
            }
            return cluster;
        } catch (final IOException e) {
            cluster.close();
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node cannot be started: " + e.getMessage(), e);
        }
    }

    private void spawn(final String name, final int cores, final Tuning tuning) throws IOException {
        final List<String> line = new ArrayList<>(List.of(Installation.java(), "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED", "-Xshare:auto", "-Xlog:cds*=off", "-Xlog:aot*=off",
            "-XX:SharedArchiveFile=" + Installation.archive(), "-Dtutti.cores=" + cores,
            "-Dtutti.dist=" + System.getProperty("tutti.dist"), "-Djava.awt.headless=true"));
        line.addAll(switch (tuning) {
            // tier 4 compiles later than by default, after the node has started; loops are compiled as usual and have safepoints
            case SPEED -> List.of("-XX:+UseParallelGC", "-XX:MetaspaceSize=128m", "-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000",
                "-XX:Tier4InvocationThreshold=20000", "-XX:Tier4MinInvocationThreshold=4000", "-XX:Tier4CompileThreshold=40000");
            case START -> List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        });
        final String options = System.getenv("TUTTI_DAEMON_OPTS");
        if (options != null && !options.isBlank()) {
            line.addAll(List.of(options.strip().split("\\s+")));
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), EmbeddedNode.class.getName(), name));
        final Process process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final Node node = new Node(name, process);
        nodes.add(node);
        Thread.ofVirtual().name("tutti-node-" + name).start(node::readLines);
    }

    /** One daemon, with the lines of its standard output: the address when it is ready, and at the end that only its process is left. */
    private static final class Node {
        private final String name;
        private final Process process;
        private final CompletableFuture<HostPort> ready = new CompletableFuture<>();
        private final CompletableFuture<Void> gone = new CompletableFuture<>();

        Node(final String name, final Process process) {
            this.name = name;
            this.process = process;
        }

        /** Reads the lines until the daemon has ended. */
        void readLines() {
            final BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            // warnings of the JVM about its options appear here
            final StringBuilder before = new StringBuilder();
            try {
                for (String line = lines.readLine(); line != null && !line.equals(NodeProcess.GONE); line = lines.readLine()) {
                    final String other = ": " + line;
                    ReadyLine.parse(line).ifPresentOrElse(r -> ready.complete(r.address()), () -> before.append(other));
                }
            } catch (final IOException | RuntimeException e) {
                ready.completeExceptionally(e);
            } finally {
                ready.completeExceptionally(new IOException("node " + name + " ended before it was ready" + before));
                gone.complete(null);
            }
        }

        /** Tells the daemon to end, by the end of its standard input. */
        void end() {
            try {
                process.getOutputStream().close();
            } catch (final IOException e) {
                // the daemon has ended already
                gone.complete(null);
            }
        }

        /** Waits until the daemon has deleted its folder, then kills the process, since a JVM takes long to end by itself. */
        void await() throws InterruptedException {
            if (ready.isDone()) {
                try {
                    gone.get(STOP_SECONDS, TimeUnit.SECONDS);
                } catch (final ExecutionException | TimeoutException e) {
                    LOG.debug("node {} does not answer any more", name, e);
                }
                process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** Waits until all daemons are one cluster; returns the address of the first. */
    HostPort join() {
        try {
            final HostPort first = nodes.getFirst().ready.get(START_SECONDS, TimeUnit.SECONDS);
            for (final Node n : nodes.subList(1, nodes.size())) {
                try (Client client = Client.connect(n.ready.get(START_SECONDS, TimeUnit.SECONDS))) {
                    client.request(new Message.Join(first.host(), first.port()));
                }
            }
            return first;
        } catch (final ExecutionException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "cluster does not start: " + Protocol.oneLine(e), e);
        } catch (final TimeoutException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "cluster does not start: limit=" + START_SECONDS + " s", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        }
    }

    /**
     * Ends the daemons: each deletes its folder when its input ends, and is then killed. A daemon that is still starting is not waited for.
     */
    @Override
    public void close() {
        nodes.forEach(Node::end);
        try {
            for (final Node n : nodes) {
                n.await();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
