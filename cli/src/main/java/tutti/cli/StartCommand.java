package tutti.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;

/** {@code tutti start}: runs a cluster on other hosts while the command runs. */
@Command(name = "start", mixinStandardHelpOptions = true, sortOptions = false,
    description = {
        "Starts a cluster on the hosts of --hosts or --hostfile or of a Slurm allocation; prints 'ready NAME HOST:PORT' of its first node when "
            + "it accepts commands.",
        "The cluster ends with this command, or by tutti stop."})
final class StartCommand implements Callable<Integer> {
    @Mixin
    private HostOptions hosts;

    @Override
    public Integer call() throws Exception {
        final HostOptions.HostLaunch launch = hosts.launch(null, List.of()).orElseThrow(() -> new CommandFailure(ExitStatus.USAGE,
            "no hosts: give --hosts or --hostfile, or run in a Slurm allocation; tutti daemon starts a node on this host"));
        final ClusterSecret secret;
        try {
            secret = ClusterSecret.ofUser();
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.DENIED, e.getMessage(), e);
        }
        try (RunCluster cluster = RunCluster.start(launch.commands(), secret, List.of())) {
            // a signal ends the containers, by the end of their input, and waits for them
            final Thread onSignal = new Thread(cluster::close, "tutti-signal");
            Runtime.getRuntime().addShutdownHook(onSignal);
            System.out.println(new ReadyLine(cluster.nodes().getFirst(), cluster.join().address()));
            System.out.flush();
            cluster.awaitEnd();
            JobConsole.removeHook(onSignal);
            return ExitStatus.OK;
        }
    }
}
