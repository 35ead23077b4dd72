package tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.cli.hosts.LaunchedNode;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;

/** {@code tutti daemon}: runs one node in the foreground. */
@Command(name = "daemon", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a node of a cluster in the foreground; prints 'ready NAME HOST:PORT' when it accepts commands.")
final class DaemonCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.0.0.1:0";

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "the node's name, unique in its cluster")
    private String name;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = LOOPBACK,
        description = "address to listen on; by default a free port on loopback")
    private String listen;

    @Option(names = "--ports", paramLabel = "PORT[-PORT]",
        description = "ports of which the node takes a free one where that of --listen is 0, and where JVMs of jobs listen; by default any")
    private @Nullable String ports;

    @Option(names = "--advertise", paramLabel = "HOST[:PORT]",
        description = "address at which commands and other nodes reach this one; by default the one on which it listens")
    private @Nullable String advertise;

    @Option(names = "--join", paramLabel = "HOST:PORT,...",
        description = {"daemons of the cluster to join, which may start later; the node is ready when it has joined one of them, "
            + "and at once if its own address is among them"})
    private @Nullable String join;

    @Option(names = "--discovery", paramLabel = "HOW",
        description = "how the node finds others by itself: file:FOLDER, multicast:ADDRESS:PORT or dns:NAME; by default it finds those that it joins")
    private @Nullable String discovery;

    @Option(names = "--switches", paramLabel = "NAME,...",
        description = "switches that connect the node's host to others, the nearest first, for algorithms that take the network into account")
    private @Nullable String switches;

    @Option(names = "--topology", paramLabel = "FILE",
        description = "file that tells the switches of all nodes by their names, in the format of Slurm's topology.conf; in place of --switches")
    private @Nullable Path topology;

    @Option(names = "--dir", paramLabel = "DIR", description = "folder for the node's files; by default a temporary one")
    private @Nullable Path dir;

    @Option(names = "--insecure", description = "everybody who reaches the node may do everything on it")
    private boolean insecure;

    @Mixin
    private LogFile logFile = new LogFile();

    @Mixin
    private OptionalBundles optionalBundles;

    /** For {@link RunCluster} and tests: the node listens where the launching host reaches it, and ends when standard input ends. */
    @Option(names = "--launched-by", hidden = true)
    private @Nullable LaunchedNode launchedBy;

    /** For clusters of tests: the node, which is like any other, ends when standard input ends. */
    @Option(names = "--held", hidden = true)
    private boolean held;

    /** For {@link RunCluster}: the slots of all nodes that were launched with this one. */
    @Option(names = "--slots", hidden = true, split = ",")
    private @Nullable List<Integer> slots;

    @Override
    public Integer call() throws Exception {
        if (join != null) {
            Stream.of(join.split(",")).forEach(ConnectOption::parse);
        }
        try {
            NodeInfo.checkName(name);
        } catch (final IllegalArgumentException e) {
            throw new CommandFailure(ExitStatus.USAGE, e.getMessage(), e);
        }
        try {
            if (dir != null) {
                Files.createDirectories(dir);
            }
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.USAGE, "folder cannot be made: --dir " + dir + ": " + Protocol.oneLine(e)
                + "; give the node another one", e);
        }
        logFile.open(dir, launchedBy == null ? name : null);
        if (launchedBy == null) {
            if (held) {
                InputEnd.watch();
            }
            new NodeProcess(new NodeProcess.Settings(name, ConnectOption.parse(listen), ports, advertise, join, discovery, switches,
                topology, dir, insecure, false), optionalBundles).run();
            return ExitStatus.OK;
        }
        InputEnd.watch();
        if (slots != null) {
            System.setProperty("tutti.cores", Integer.toString(launchedBy.slots(slots, System.getenv())));
        }
        final HostPort address = listen.equals(LOOPBACK) ? launchedBy.listen(System.getenv()) : ConnectOption.parse(listen);
        new NodeProcess(new NodeProcess.Settings(name, address, ports, advertise, join, discovery, switches, topology, dir, false,
            true), optionalBundles).run();
        return ExitStatus.OK;
    }
}
