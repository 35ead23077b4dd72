package tutti.cli;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.cli.launch.FelixContainer;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Message;

/** {@code tutti daemon}: runs one node in the foreground. */
@Command(name = "daemon", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a node of a cluster in the foreground; prints 'ready NAME HOST:PORT' when it accepts commands.")
final class DaemonCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonCommand.class);
    /** Line that an embedded node prints at its end, when only its process is left. */
    static final String GONE = "gone";
    /** Option of a node that its run started. */
    static final String UNTIL_INPUT_ENDS = "--until-input-ends";
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "the node's name, unique in its cluster")
    private String name;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = "127.0.0.1:0",
        description = "address to listen on; by default a free port on loopback")
    private String listen;

    @Option(names = "--join", paramLabel = "HOST:PORT", description = "a daemon of the cluster to join")
    private String join;

    @Option(names = "--dir", paramLabel = "DIR", description = "folder for the node's files; by default a temporary one")
    private Path dir;

    @Option(names = UNTIL_INPUT_ENDS, hidden = true, description = "end when standard input ends")
    private boolean untilInputEnds;

    @Mixin
    private OptionalBundles optionalBundles;

    private final CountDownLatch started = new CountDownLatch(1);
    private volatile boolean inputEnded;
    /** Folder of this node's files; null until it is made. */
    private volatile Path folder;

    @Override
    public Integer call() throws Exception {
        final HostPort address = ConnectOption.parse(listen);
        final HostPort seed = join == null ? null : ConnectOption.parse(join);
        try {
            NodeInfo.checkName(name);
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
        optionalBundles.check();
        // System.out is replaced by the ranks' streams while ranks run
        final PrintStream out = System.out;
        if (untilInputEnds) {
            InputEnd.onEnd(() -> inputEnded(out));
        }
        folder = dir == null ? Files.createTempDirectory("tutti-" + name) : Files.createDirectories(dir);
        try (FelixContainer container = FelixContainer.start(Installation.bundles(), folder.resolve("container"), properties(address),
            () -> inputEnded)) {
            started.countDown();
            final HostPort bound = awaitReady(container);
            optionalBundles.startFileInstall(container);
            if (seed != null) {
                try (Client client = Client.connect(bound)) {
                    final String note = client.request(new Message.Join(seed.host(), seed.port()));
                    if (!note.isEmpty()) {
                        System.err.println("tutti: " + note);
                    }
                }
            }
            final Thread onSignal = new Thread(() -> stopOnSignal(container), "tutti-signal");
            Runtime.getRuntime().addShutdownHook(onSignal);
            out.println(new ReadyLine(name, bound));
            out.flush();
            optionalBundles.startConsole(container);
            container.awaitStopping();
            JobConsole.removeHook(onSignal);
        } catch (final CancellationException e) {
            LOG.debug("input ended while the container was starting", e);
            endNow(out);
        } finally {
            clean();
        }
        return ExitStatus.OK;
    }

    private Map<String, String> properties(final HostPort address) {
        final Map<String, String> properties = new HashMap<>(optionalBundles.properties(folder.resolve("container").resolve("load")));
        properties.putAll(
            Map.of(NodeProperties.NAME, name, NodeProperties.LISTEN, address.toString(), NodeProperties.DIR, folder.resolve("work").toString(),
                NodeProperties.RULES, Installation.rules().toString(),
                // a node that was started for one run has its job at once
                NodeProperties.WARM_UP, System.getProperty(NodeProperties.WARM_UP, Boolean.toString(!untilInputEnds))));
        return properties;
    }

    private HostPort awaitReady(final FelixContainer container) throws InterruptedException {
        final ServiceReference<?> node =
            container.awaitService("(|(" + NodeProperties.ADDRESS + "=*)(" + NodeProperties.FAILURE + "=*))", START_LIMIT);
        if (node == null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node does not start: name=" + name + ", limit=" + START_LIMIT.toSeconds()
                + " s; run with TUTTI_LOG=debug to see why");
        }
        if (node.getProperty(NodeProperties.FAILURE) != null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node cannot start: name=" + name + ": " + node.getProperty(NodeProperties.FAILURE));
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
            if (started.await(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                endNow(out);
            }
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
        TempFolders.delete(dir == null ? folder : folder.resolve("container"));
    }
}
