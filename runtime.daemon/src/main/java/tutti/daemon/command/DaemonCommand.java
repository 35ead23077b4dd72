package tutti.daemon.command;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.control.NodeService;
import tutti.daemon.launch.FelixContainer;
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.HostPort;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.TempFolders;

/** {@code tutti daemon}: runs one node in the foreground. */
@Command(name = "daemon", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a node of a cluster in the foreground; prints 'ready NAME HOST:PORT' when it accepts commands.")
final class DaemonCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonCommand.class);
    /** Line that an embedded node prints at its end, when only its process is left. */
    static final String GONE = "gone";
    private static final long START_SECONDS = 30;

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "the node's name, unique in its cluster")
    private String name;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = "127.0.0.1:0",
        description = "address to listen on; by default a free port on loopback")
    private String listen;

    @Option(names = "--join", paramLabel = "HOST:PORT", description = "a daemon of the cluster to join")
    private String join;

    @Option(names = "--dir", paramLabel = "DIR", description = "folder for the node's files; by default a temporary one")
    private Path dir;

    @Option(names = "--until-input-ends", hidden = true, description = "end when standard input ends")
    private boolean untilInputEnds;

    @Mixin
    private OptionalBundles extras;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);

    @Override
    public Integer call() throws Exception {
        final HostPort address = ConnectOption.parse(listen);
        final HostPort seed = join == null ? null : ConnectOption.parse(join);
        try {
            NodeInfo.checkName(name);
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
        extras.check();
        // System.out is replaced by the ranks' streams while ranks run
        final PrintStream out = System.out;
        final Path folder = dir == null ? Files.createTempDirectory("tutti-" + name) : Files.createDirectories(dir);
        if (untilInputEnds) {
            Thread.ofPlatform().daemon().name("tutti-input").start(() -> awaitInputEnd(folder, out));
        }
        try (FelixContainer container = FelixContainer.start(Installation.bundles(), folder.resolve("container"), properties(address, folder),
            events::add)) {
            started.countDown();
            final HostPort bound = ready();
            extras.start(container);
            if (seed != null) {
                try (Client client = Client.connect(bound)) {
                    final String note = client.order(new Message.Join(seed.host(), seed.port()));
                    if (!note.isEmpty()) {
                        System.err.println("tutti: " + note);
                    }
                }
            }
            final Thread onSignal = new Thread(() -> stopped(container, folder), "tutti-signal");
            Runtime.getRuntime().addShutdownHook(onSignal);
            out.println("ready " + name + " " + bound);
            out.flush();
            Thread.ofVirtual().name("tutti-container").start(() -> stopWith(container));
            extras.talk(container);
            awaitStop();
            JobConsole.unhook(onSignal);
        } finally {
            clean(folder);
        }
        return ExitStatus.OK;
    }

    private Map<String, String> properties(final HostPort address, final Path folder) {
        final Map<String, String> properties = new HashMap<>(extras.properties(folder.resolve("container").resolve("load")));
        properties.putAll(Map.of(NodeService.NAME, name, NodeService.LISTEN, address.toString(), NodeService.DIR, folder.resolve("work").toString(),
            NodeService.RULES, Installation.rules().toString()));
        return properties;
    }

    /** Stops the node when the container stops, which a user may do from its console. */
    private void stopWith(final FelixContainer container) {
        try {
            container.await();
            events.add("stop");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HostPort ready() throws InterruptedException {
        final String event = events.poll(START_SECONDS, TimeUnit.SECONDS);
        if (event == null) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node does not start: name=" + name + ", limit=" + START_SECONDS
                + " s; run with TUTTI_LOG=debug to see why");
        }
        if (event.startsWith("failed ")) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "node cannot start: name=" + name + ": " + event.substring("failed ".length()));
        }
        return HostPort.parse(event.substring(event.lastIndexOf(' ') + 1));
    }

    private void awaitStop() throws InterruptedException {
        String event = events.take();
        while (!event.equals("stop")) {
            event = events.take();
        }
        // lets the answer to the stop request be sent
        TimeUnit.MILLISECONDS.sleep(100);
    }

    /** Ends an embedded node when its standard input ends: the command it was started for is over, so it does not leave the cluster first. */
    private void awaitInputEnd(final Path folder, final PrintStream out) {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (final IOException e) {
            LOG.debug("standard input failed, treated as its end", e);
        }
        try {
            // a container that is still starting needs its files, and would write new ones
            started.await(START_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clean(folder);
        out.println(GONE);
        out.flush();
        Runtime.getRuntime().halt(ExitStatus.OK);
    }

    private void stopped(final FelixContainer container, final Path folder) {
        container.close();
        clean(folder);
        Runtime.getRuntime().halt(ExitStatus.OK);
    }

    private void clean(final Path folder) {
        TempFolders.delete(dir == null ? folder : folder.resolve("container"));
    }
}
