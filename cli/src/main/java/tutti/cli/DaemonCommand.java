package tutti.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.node.ExitStatus;

/** {@code tutti daemon}: runs one node in the foreground. */
@Command(name = "daemon", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Runs a node of a cluster in the foreground; prints 'ready NAME HOST:PORT' when it accepts commands.")
final class DaemonCommand implements Callable<Integer> {
    @Option(names = "--name", paramLabel = "NAME", required = true, description = "the node's name, unique in its cluster")
    private String name;

    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = "127.0.0.1:0",
        description = "address to listen on; by default a free port on loopback")
    private String listen;

    @Option(names = "--join", paramLabel = "HOST:PORT", description = "a daemon of the cluster to join")
    private String join;

    @Option(names = "--dir", paramLabel = "DIR", description = "folder for the node's files; by default a temporary one")
    private Path dir;

    @Mixin
    private OptionalBundles optionalBundles;

    @Override
    public Integer call() throws Exception {
        new NodeProcess(new NodeProcess.Settings(name, ConnectOption.parse(listen), join == null ? null : ConnectOption.parse(join), dir, false),
            optionalBundles).run();
        return ExitStatus.OK;
    }
}
