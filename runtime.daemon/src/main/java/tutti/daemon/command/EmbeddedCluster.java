package tutti.daemon.command;

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
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.HostPort;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;

/**
 * Daemons on loopback in JVMs of their own, for one run. They die with this process whatever happens to it: each ends when its standard
 * input does.
 */
final class EmbeddedCluster implements AutoCloseable {
    private static final long START_SECONDS = 30;
    private static final long STOP_SECONDS = 3;

    /** What its JVMs are tuned for. */
    enum Tuning {
        /** Programs that compute. */
        SPEED,
        /** One job that does nearly nothing: to start soon is all that counts. */
        START
    }

    private final List<Process> processes = new ArrayList<>();
    private final List<CompletableFuture<HostPort>> addresses = new ArrayList<>();

    private EmbeddedCluster() { }

    /** Starts so many daemons and returns at once. */
    static EmbeddedCluster start(final int nodes, final Tuning tuning) {
        final EmbeddedCluster cluster = new EmbeddedCluster();
        try {
            for (int i = 0; i < nodes; i++) {
                cluster.spawn("n" + i, Math.max(1, Runtime.getRuntime().availableProcessors() / nodes), tuning);
            }
            return cluster;
        } catch (final IOException e) {
            cluster.close();
            throw new Failure(ExitStatus.NO_CLUSTER, "node cannot be started: " + e.getMessage(), e);
        }
    }

    private void spawn(final String name, final int cores, final Tuning tuning) throws IOException {
        final List<String> line = new ArrayList<>(List.of(Installation.java(), "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:aot=off",
            "-XX:SharedArchiveFile=" + Installation.archive(), "-Dtutti.cores=" + cores,
            "-Dtutti.dist=" + System.getProperty("tutti.dist"), "-Djava.awt.headless=true"));
        line.addAll(switch (tuning) {
            case SPEED -> List.of("-XX:+UseParallelGC");
            case START -> List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        });
        final String options = System.getenv("TUTTI_DAEMON_OPTS");
        if (options != null && !options.isBlank()) {
            line.addAll(List.of(options.strip().split("\\s+")));
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "daemon", "--name", name,
            "--listen", "127.0.0.1:0", "--until-input-ends"));
        final Process process = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        final CompletableFuture<HostPort> address = new CompletableFuture<>();
        addresses.add(address);
        Thread.ofVirtual().name("tutti-ready-" + name).start(() -> ready(process, name, address));
    }

    private static void ready(final Process process, final String name, final CompletableFuture<HostPort> address) {
        final BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        try {
            // a JVM that has something to say of its options says it here
            final StringBuilder before = new StringBuilder();
            String line = lines.readLine();
            while (line != null && !line.startsWith("ready ")) {
                before.append(": ").append(line);
                line = lines.readLine();
            }
            if (line == null) {
                address.completeExceptionally(new IOException("node " + name + " ended before it was ready" + before));
            } else {
                address.complete(HostPort.parse(line.substring(line.lastIndexOf(' ') + 1)));
            }
        } catch (final IOException | RuntimeException e) {
            address.completeExceptionally(e);
        }
    }

    /** Waits until all daemons are one cluster; returns the address of the first. */
    HostPort join() {
        try {
            final HostPort first = addresses.getFirst().get(START_SECONDS, TimeUnit.SECONDS);
            for (int i = 1; i < addresses.size(); i++) {
                try (Client client = Client.connect(addresses.get(i).get(START_SECONDS, TimeUnit.SECONDS))) {
                    client.order(new Message.Join(first.host(), first.port()));
                }
            }
            return first;
        } catch (final ExecutionException e) {
            throw new Failure(ExitStatus.NO_CLUSTER, "cluster does not start: " + Protocol.oneLine(e), e);
        } catch (final TimeoutException e) {
            throw new Failure(ExitStatus.NO_CLUSTER, "cluster does not start: limit=" + START_SECONDS + " s", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(ExitStatus.FAILED, "interrupted", e);
        }
    }

    /**
     * Ends the daemons: each takes its folder away and ends when its input does. One that does not is killed; one that is still starting is not
     * waited for.
     */
    @Override
    public void close() {
        for (final Process p : processes) {
            try {
                p.getOutputStream().close();
            } catch (final IOException e) {
                // it has ended already
                continue;
            }
        }
        try {
            for (int i = 0; i < processes.size(); i++) {
                final Process p = processes.get(i);
                if (addresses.get(i).isDone() && !p.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    p.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
