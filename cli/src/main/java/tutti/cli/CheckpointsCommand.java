package tutti.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tutti.daemon.listing.CheckpointListing;
import tutti.daemon.listing.CheckpointRow;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
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
            if (remove != null) {
                client.request(new Message.RemoveCheckpoints(remove));
                return;
            }
            final List<CheckpointRow> rows =
                CheckpointRow.of(List.of(MessageCodec.read(client.request(new Message.ListCheckpoints()), HeldCheckpoint[].class)));
            System.out.print(json ? MessageCodec.pretty(rows) + "\n" : CheckpointListing.of(rows));
        } catch (final IOException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "the node's answer cannot be read: " + e.getMessage(), e);
        }
    }
}
