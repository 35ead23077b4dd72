package tutti.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.cli.hosts.LaunchCommand;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;

/**
 * Cluster of daemons for one run, each in a JVM of its own, on this machine or on other hosts. They end with this process even when it is killed:
 * each daemon ends when its standard input ends.
 */
final class RunCluster implements AutoCloseable {
    /** Options that choose a garbage collector. */
    private static final Predicate<String> COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC").asMatchPredicate();
    private static final Logger LOG = LoggerFactory.getLogger(RunCluster.class);
    /** Longer than a node needs to find that it cannot join another now. */
    private static final Duration JOIN_PAUSE = Duration.ofMillis(500);
    private static final long LOCAL_STOP_SECONDS = 3;
    private static final long REMOTE_STOP_SECONDS = 10;

    /** Tuning of the JVMs on this machine. */
    enum Tuning {
        /** Fast execution, for programs that compute. */
        SPEED,
        /** Fast start, for one short job. */
        START
    }

    /** How long a signal waits for the end of the job, which it cancels. */
    private static final long CANCEL_SECONDS = 7;

    private final ClusterSecret secret;
    private final List<Launch> launches = new ArrayList<>();
    private final Thread onSignal = new Thread(this::endOnSignal, "tutti-signal-cluster");
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean joined;

    private RunCluster(final ClusterSecret secret) {
        this.secret = secret;
    }

    /**
     * Starts {@code count} daemons on this machine, which only this process can use, and returns at once.
     *
     * @param jvm    options of their JVMs
     * @param folder working folder of the daemons; null for the current one
     */
    static RunCluster start(final int count, final Tuning tuning, final List<String> jvm, final @Nullable Path folder) {
        if (folder != null && !Files.isDirectory(folder)) {
            throw new CommandFailure(ExitStatus.USAGE, CommandFailure.notFound("working folder", folder));
        }
        final List<LaunchCommand> commands = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            commands.add(onThisMachine("n" + i, i, count, tuning, jvm));
        }
        return start(commands, ClusterSecret.random(), List.of(), folder);
    }

    /**
     * Starts the daemons that the commands start, and returns at once.
     *
     * @param secret the secret of the cluster
     * @param jvm    options of their JVMs, for commands that pass the environment on
     */
    static RunCluster start(final List<LaunchCommand> commands, final ClusterSecret secret, final List<String> jvm) {
        return start(commands, secret, jvm, null);
    }

    private static RunCluster start(final List<LaunchCommand> commands, final ClusterSecret secret, final List<String> jvm,
        final @Nullable Path folder) {
        final RunCluster cluster = new RunCluster(secret);
        if (commands.stream().anyMatch(LaunchCommand::remote)) {
            Runtime.getRuntime().addShutdownHook(cluster.onSignal);
        }
        try {
            for (final LaunchCommand command : commands) {
                cluster.launch(command, jvm, folder);
            }
            return cluster;
        } catch (final IOException e) {
            cluster.close();
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node cannot be started: " + e.getMessage(), e);
        }
    }

    private static LaunchCommand onThisMachine(final String name, final int index, final int count, final Tuning tuning,
        final List<String> jvm) {
        final int cores = Math.max(1, Runtime.getRuntime().availableProcessors() / count);
        final List<String> line = new ArrayList<>(List.of(Installation.java(), "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED", "--add-exports=java.base/jdk.internal.access=ALL-UNNAMED", "-Xshare:auto", "-Xlog:cds*=off",
            "-Xlog:aot*=off",
            "-XX:SharedArchiveFile=" + Installation.archive(), "-Dtutti.cores=" + cores, "-Dtutti.cores.share=" + index + "/" + count,
            "-Dtutti.dist=" + System.getProperty("tutti.dist"), "-Djava.awt.headless=true"));
        final List<String> given = new ArrayList<>(jvm);
        final String options = System.getenv(HostOptions.JVM_OPTIONS);
        if (options != null && !options.isBlank()) {
            given.addAll(0, List.of(options.strip().split("\\s+")));
        }
        line.addAll(switch (tuning) {
            // tier 4 compiles later than by default, after the node has started; loops are compiled as usual and have safepoints
            case SPEED -> List.of("-XX:+UseParallelGC", "-XX:MetaspaceSize=128m", "-XX:+UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=1000",
                "-XX:Tier4InvocationThreshold=20000", "-XX:Tier4MinInvocationThreshold=4000", "-XX:Tier4CompileThreshold=40000");
            case START -> List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        });
        if (given.stream().anyMatch(COLLECTOR)) {
            // a JVM refuses two collectors
            line.removeIf(COLLECTOR);
        }
        line.addAll(given);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), EmbeddedNode.class.getName(), name));
        return new LaunchCommand(List.of(name), line, false);
    }

    private void launch(final LaunchCommand command, final List<String> jvm, final @Nullable Path folder) throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command.line()).directory(folder == null ? null : folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (!jvm.isEmpty()) {
            builder.environment().merge(HostOptions.JVM_OPTIONS, String.join(" ", jvm), (own, more) -> own + " " + more);
        }
        final Process process = builder.start();
        final Launch launch = new Launch(command, process);
        launches.add(launch);
        try {
            InputEnd.send(process.getOutputStream(), secret);
        } catch (final IOException e) {
            // the process has ended already: what it printed says why
            LOG.debug("nodes do not read: nodes={}", command.nodes(), e);
        }
        Thread.ofVirtual().name("tutti-node-" + command.nodes().getFirst()).start(launch::readLines);
    }

    /**
     * A process that starts daemons, with the lines of its standard output: the address of each daemon when it is ready, and at its end that only its
     * process is left.
     */
    private static final class Launch {
        private final LaunchCommand command;
        private final Process process;
        /** Address of each daemon, by name, in the order of the nodes. */
        private final Map<String, CompletableFuture<HostPort>> ready = new LinkedHashMap<>();
        private final CompletableFuture<Void> gone = new CompletableFuture<>();
        /** Completes with the reason when the process has ended, never otherwise. */
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Launch(final LaunchCommand command, final Process process) {
            this.command = command;
            this.process = process;
            command.nodes().forEach(n -> ready.put(n, new CompletableFuture<>()));
        }

        /** Reads the lines until all daemons have ended. */
        void readLines() {
            final BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            // warnings of the JVM about its options appear here
            final StringBuilder before = new StringBuilder();
            int running = command.nodes().size();
            try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (!line.equals(NodeProcess.GONE)) {
                        ReadyLine.parse(line).filter(r -> ready.containsKey(r.name()))
                            .ifPresentOrElse(r -> Objects.requireNonNull(ready.get(r.name()), "node of the command").complete(r.address()),
                                append(before, line));
                    } else if (--running == 0) {
                        gone.complete(null);
                    }
                }
            } catch (final IOException | RuntimeException e) {
                LOG.debug("output of nodes cannot be read: nodes={}", command.nodes(), e);
            } finally {
                final String end = command.remote() ? ": " + command.line().getFirst() + " ended with status " + exitStatus() : "";
                ready.forEach((name, address) -> address.completeExceptionally(
                    new IOException("node " + name + " ended before it was ready" + end + before)));
                ended.completeExceptionally(
                    new IOException("node " + String.join(", ", command.nodes()) + " ended before all nodes had joined" + end + before));
                gone.complete(null);
            }
        }

        private static Runnable append(final StringBuilder text, final String line) {
            return () -> text.append(": ").append(line);
        }

        private int exitStatus() {
            try {
                return process.waitFor();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return ExitStatus.FAILED;
            }
        }

        /** Tells the daemons to end, by the end of their standard input. */
        void end() {
            try {
                process.getOutputStream().close();
            } catch (final IOException e) {
                LOG.debug("nodes have ended already: nodes={}", command.nodes(), e);
            }
        }

        /**
         * Waits until the daemons have deleted their folders. A process on this machine is then killed, since a JVM takes long to end by itself, and
         * not waited for while it is starting. A command that started daemons on other hosts ends when they have ended.
         */
        void await() throws InterruptedException {
            if (command.remote()) {
                if (!process.waitFor(REMOTE_STOP_SECONDS, TimeUnit.SECONDS)) {
                    LOG.debug("nodes do not end: nodes={}", command.nodes());
                    process.destroyForcibly();
                }
            } else if (ready.values().stream().allMatch(CompletableFuture::isDone)) {
                try {
                    gone.get(LOCAL_STOP_SECONDS, TimeUnit.SECONDS);
                } catch (final ExecutionException | TimeoutException e) {
                    LOG.debug("nodes do not answer any more: nodes={}", command.nodes(), e);
                }
                process.destroyForcibly().waitFor(LOCAL_STOP_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    /** Returns the names of the nodes, in the order of the commands. */
    List<String> nodes() {
        return launches.stream().flatMap(l -> l.command.nodes().stream()).toList();
    }

    /** Waits until all daemons are one cluster; returns the first. */
    Contact join() {
        try {
            final List<HostPort> addresses;
            try (WaitMessages _ = new WaitMessages(() -> "nodes are starting: not ready=" + missing(ready()))) {
                // the script on another host may make archives of classes first
                await(ready());
                addresses = addresses();
            }
            final HostPort first = addresses.getFirst();
            final Map<String, CompletableFuture<Void>> joining = new LinkedHashMap<>();
            final Map<String, String> failures = new ConcurrentHashMap<>();
            final List<String> names = nodes();
            for (int i = 1; i < addresses.size(); i++) {
                joining.put(names.get(i), join(names.get(i), addresses.get(i), first, failures));
            }
            try (WaitMessages _ = new WaitMessages(() -> "nodes are joining " + first + ": not joined=" + missing(joining) + failures)) {
                await(joining);
            } finally {
                joining.values().forEach(j -> j.cancel(false));
            }
            joined = true;
            return new Contact(first, secret);
        } catch (final ExecutionException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "cluster does not start: " + Protocol.oneLine(e), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitStatus.FAILED, "interrupted", e);
        }
    }

    /** Tells a node to join the first one, until it has, the other refuses it, or the result is cancelled; failures in between are by its name. */
    private CompletableFuture<Void> join(final String name, final HostPort address, final HostPort first, final Map<String, String> failures) {
        final CompletableFuture<Void> joining = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-join-" + name).start(() -> {
            while (!joining.isDone()) {
                try (Client client = Client.connect(new Contact(address, secret))) {
                    client.ask(daemon -> daemon.join(first));
                    joining.complete(null);
                } catch (final CommandFailure e) {
                    failures.put(name, String.valueOf(e.getMessage()));
                    if (e.status() != ExitStatus.NO_CLUSTER) {
                        joining.completeExceptionally(new IOException("node " + name + ": " + e.getMessage(), e));
                    }
                    LockSupport.parkNanos(JOIN_PAUSE.toNanos());
                }
            }
        });
        return joining;
    }

    private Map<String, CompletableFuture<HostPort>> ready() {
        final Map<String, CompletableFuture<HostPort>> ready = new LinkedHashMap<>();
        launches.forEach(l -> ready.putAll(l.ready));
        return ready;
    }

    private static List<String> missing(final Map<String, ? extends CompletableFuture<?>> nodes) {
        return nodes.entrySet().stream().filter(n -> !n.getValue().isDone()).map(Map.Entry::getKey).toList();
    }

    /** Waits until all are done, or one has failed, or the process of a node has ended. */
    private void await(final Map<String, ? extends CompletableFuture<?>> nodes) throws InterruptedException, ExecutionException {
        final CompletableFuture<Void> done = CompletableFuture.allOf(nodes.values().toArray(CompletableFuture[]::new));
        final List<CompletableFuture<?>> all = new ArrayList<>(nodes.values());
        launches.forEach(l -> all.add(l.ended));
        for (final CompletableFuture<?> each : all) {
            final var _ = each.whenComplete((value, e) -> {
                if (e != null) {
                    done.completeExceptionally(e);
                }
            });
        }
        done.get();
    }

    /** Returns the addresses of the daemons, which are ready. */
    private List<HostPort> addresses() {
        final Map<String, HostPort> addresses = new LinkedHashMap<>();
        launches.forEach(l -> l.ready.forEach((name, address) -> addresses.put(name, address.join())));
        checkReachable(addresses);
        return List.copyOf(addresses.values());
    }

    /** Refuses a node that listens on loopback when another does not: the other hosts could not reach it. */
    private static void checkReachable(final Map<String, HostPort> addresses) {
        if (addresses.values().stream().allMatch(RunCluster::isLoopback)) {
            return;
        }
        addresses.forEach((name, address) -> {
            if (isLoopback(address)) {
                throw new CommandFailure(ExitStatus.NO_CLUSTER, "node " + name + " is reached at " + address.host()
                    + ", where other hosts cannot reach it: name this host by an address of the network that it shares with them");
            }
        });
    }

    private static boolean isLoopback(final HostPort address) {
        try {
            return InetAddress.getByName(address.host()).isLoopbackAddress();
        } catch (final UnknownHostException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "not an address of a node: " + address, e);
        }
    }

    /** Waits until all daemons have ended by themselves, as {@code tutti stop} tells them to. */
    void awaitEnd() throws InterruptedException {
        for (final Launch launch : launches) {
            launch.process.waitFor();
        }
    }

    /** Ends the daemons after the job, which another thread cancels; at once while they start. This process waits for daemons on other hosts. */
    private void endOnSignal() {
        try {
            if (!joined || !closed.await(CANCEL_SECONDS, TimeUnit.SECONDS)) {
                end();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the daemons. */
    @Override
    public void close() {
        end();
        JobConsole.removeHook(onSignal);
    }

    private synchronized void end() {
        launches.forEach(Launch::end);
        try {
            for (final Launch launch : launches) {
                launch.await();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closed.countDown();
        }
    }
}
