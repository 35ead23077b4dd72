package tutti.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.listing.CheckpointRow;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti checkpoints}: lists the checkpoints that the nodes of a cluster keep, or removes those of a series. */
@Command(name = "checkpoints", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Lists the checkpoints that the nodes of a cluster keep, or removes those of a series. A series is what a job, and the jobs that "
        + "continue it, have saved; its name is the id of the first one.")
final class CheckpointsCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--remove", paramLabel = "SERIES", description = "remove all checkpoints of this series, which no job may use")
    private @Nullable String remove;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        if (remove != null && json) {
            throw new ParameterException(spec.commandLine(), "--remove and --json exclude each other");
        }
        try (Client client = connect.open()) {
            final String removed = remove;
            if (removed != null) {
                client.ask(daemon -> daemon.removeCheckpoints(removed));
                return;
            }
            final List<CheckpointRow> rows = CheckpointRow.of(client.ask(ClusterRequests::checkpoints));
            System.out.print(json ? MessageCodec.pretty(rows) + "\n" : ClusterListing.checkpoints(rows));
        }
    }
}
