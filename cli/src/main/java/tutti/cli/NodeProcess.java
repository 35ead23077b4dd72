package tutti.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.cli.launch.FelixContainer;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;
import tutti.runtime.liveness.LiveWait;

/** The node of this JVM, from its start to its end: a container with the bundles of the distribution, and the folder of the node's files. */
final class NodeProcess {
    private static final Logger LOG = LoggerFactory.getLogger(NodeProcess.class);
    /** Line that an embedded node prints at its end, when only its process is left. */
    static final String GONE = "gone";
    private static final Duration JOIN_POLL = Duration.ofMillis(50);

    /**
     * Settings of a node at its start.
     *
     * @param name           the node's name
     * @param listen         the address to listen on
     * @param ports          the ports of which it takes a free one where that to listen on is 0; null for any
     * @param advertise      the address at which others reach the node; null for that on which it listens
     * @param join           addresses of daemons of the cluster to join, one of which must be joined before the node is ready; null for none
     * @param discovery      how the node finds others by itself; null for the default
     * @param switches       switches that connect its host to others; null if they are not known
     * @param topology       a file that tells the switches of all nodes; null for none
     * @param dir            folder for the node's files; null for a temporary one
     * @param insecure       whether everybody may do everything on the node
     * @param untilInputEnds whether the node has its secret from standard input, ends when that ends, and has its job at once
     */
    record Settings(String name, HostPort listen, @Nullable String ports, @Nullable String advertise, @Nullable String join,
        @Nullable String discovery, @Nullable String switches, @Nullable Path topology, @Nullable Path dir, boolean insecure,
        boolean untilInputEnds) {

        /** Returns the settings of a node for a run on this machine. */
        static Settings ofRun(final String name, final HostPort listen) {
            return new Settings(name, listen, null, null, null, null, null, null, null, false, true);
        }
    }

    private final Settings settings;
    private final OptionalBundles optionalBundles;
    private final CountDownLatch started = new CountDownLatch(1);
    private volatile boolean inputEnded;
    /** Folder of this node's files; null until it is made. */
    private volatile @Nullable Path folder;

    NodeProcess(final Settings settings, final OptionalBundles optionalBundles) {
        this.settings = settings;
        this.optionalBundles = optionalBundles;
    }

    /** Runs the node until its framework is stopped; prints the {@link ReadyLine} when it accepts commands. */
    void run() throws Exception {
        optionalBundles.check();
        // for what the node tells alone: what bundles print, or threads of modules, goes to standard error
        final PrintStream out = System.out;
        System.setOut(System.err);
        if (settings.untilInputEnds()) {
            InputEnd.onEnd(() -> inputEnded(out));
        }
        final Path made = folder();
        folder = made;
        try (FelixContainer container = FelixContainer.start(Installation.bundles(), made.resolve("container"), properties(made),
            () -> inputEnded)) {
            started.countDown();
            final HostPort bound = awaitReady(container);
            optionalBundles.start(container);
            final Thread onSignal = new Thread(() -> stopOnSignal(container), "tutti-signal");
            Runtime.getRuntime().addShutdownHook(onSignal);
            try {
                if (settings.join() == null || awaitJoined(container)) {
                    out.println(new ReadyLine(settings.name(), bound));
                    out.flush();
                    optionalBundles.startConsole(container, out);
                    container.awaitStopping();
                }
            } finally {
                JobConsole.removeHook(onSignal);
            }
        } catch (final CancellationException e) {
            LOG.debug("input ended while the container was starting", e);
            endNow(out);
        } finally {
            clean();
        }
    }

    private Path folder() throws IOException {
        return settings.dir() == null ? TempFolders.create(settings.name()) : Files.createDirectories(settings.dir());
    }

    private Map<String, String> properties(final Path made) throws IOException {
        final Map<String, String> properties = new HashMap<>(optionalBundles.properties(made.resolve("container").resolve("load")));
        properties.putAll(
            Map.of(NodeProperties.NAME, settings.name(), NodeProperties.LISTEN, settings.listen().toString(),
                NodeProperties.FOLDER, made.resolve("work").toString(), NodeProperties.RULES, Installation.rules().toString(),
                // the container has no other purpose
                NodeProperties.STOP, "framework", NodeProperties.END, "process",
                NodeProperties.ONE_RUN, Boolean.toString(settings.untilInputEnds()),
                // a node that was started for one run has its job at once
                NodeProperties.WARM_UP, System.getProperty(NodeProperties.WARM_UP, Boolean.toString(!settings.untilInputEnds()))));
        // nobody reads the page of a node that ends with its run
        put(properties, NodeProperties.MEASUREMENTS, settings.untilInputEnds() ? "0" : null);
        put(properties, NodeProperties.JOIN, settings.join());
        put(properties, NodeProperties.DISCOVERY, settings.discovery());
        put(properties, NodeProperties.SWITCHES, settings.switches());
        put(properties, NodeProperties.TOPOLOGY, settings.topology() == null ? null : settings.topology().toAbsolutePath().toString());
        put(properties, NodeProperties.PORTS, settings.ports());
        put(properties, NodeProperties.ADVERTISE, settings.advertise());
        if (settings.insecure()) {
            properties.putAll(Map.of(NodeProperties.SECRET, "none", NodeProperties.INSECURE, "true"));
        } else if (settings.untilInputEnds()) {
            final Path file = made.resolve("secret");
            InputEnd.secret().write(file);
            properties.put(NodeProperties.SECRET, file.toString());
        }
        return properties;
    }

    private static void put(final Map<String, String> properties, final String name, final @Nullable String value) {
        if (value != null) {
            properties.put(name, value);
        }
    }

    /**
     * Waits until the node has joined a cluster, however long that takes; returns false when the container stops before.
     *
     * @throws CommandFailure when a node refuses this one
     */
    private boolean awaitJoined(final FelixContainer container) throws InterruptedException {
        final Supplier<Map<String, Object>> node = container.watch("(|(" + NodeProperties.JOINED + "=*)(" + NodeProperties.NOT_JOINED + "=*)("
            + NodeProperties.REFUSED + "=*))");
        try (WaitMessages _ = new WaitMessages(() -> "node " + settings.name() + " waits to join "
            + node.get().getOrDefault(NodeProperties.NOT_JOINED, "node at " + settings.join()))) {
            do {
                final Map<String, Object> state = node.get();
                if (state.containsKey(NodeProperties.JOINED)) {
                    return true;
                }
                if (state.get(NodeProperties.REFUSED) instanceof final String reason) {
                    throw new CommandFailure(ExitStatus.NO_CLUSTER, reason);
                }
            } while (!container.awaitStopping(JOIN_POLL));
        }
        return false;
    }

    private LiveWait wait(final String what) {
        return new LiveWait("node " + settings.name() + " " + what, () -> true, line -> System.err.println("tutti: " + line));
    }

    private HostPort awaitReady(final FelixContainer container) throws InterruptedException {
        final ServiceReference<?> node = container.awaitService("(|(" + NodeProperties.ADDRESS + "=*)(" + NodeProperties.FAILURE + "=*))",
            wait("is starting"));
        if (node == null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node does not start: name=" + settings.name()
                + ", reason=its container was stopped; run with TUTTI_LOG=debug to see why");
        }
        if (node.getProperty(NodeProperties.FAILURE) != null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node cannot start: name=" + settings.name() + ": "
                + node.getProperty(NodeProperties.FAILURE));
        }
        return HostPort.parse((String) node.getProperty(NodeProperties.ADDRESS));
    }

    /**
     * Ends the node since the run that it was started for is over: nothing of it is needed any more, so it does not leave its cluster first. A
     * container that is starting stops at the next bundle, and the thread that starts it ends the node: it alone knows that no file is written any
     * more.
     */
    private void inputEnded(final PrintStream out) {
        inputEnded = true;
        try {
            final LiveWait wait = wait("ends when its container has started");
            while (!started.await(LiveWait.PERIOD.toSeconds(), TimeUnit.SECONDS) && wait.goesOn()) {
                // the thread that starts the container cannot be stopped safely
            }
            endNow(out);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endNow(final PrintStream out) {
        clean();
        out.println(GONE);
        out.flush();
        Runtime.getRuntime().halt(ExitStatus.OK);
    }

    private void stopOnSignal(final FelixContainer container) {
        container.close();
        clean();
        Runtime.getRuntime().halt(ExitStatus.OK);
    }

    /** Deletes the node's temporary files. A signal and the stop that it causes both call this: the second call waits for the first. */
    private synchronized void clean() {
        final Path made = folder;
        if (made != null) {
            TempFolders.delete(settings.dir() == null ? made : made.resolve("container"));
        }
    }
}
