package tutti.daemon.command;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.console.Listing;
import tutti.daemon.console.NodeInfoRow;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Wire;

/** {@code tutti info}. */
@Command(name = "info", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Says what each node of a cluster is and does: versions, heap, jobs, modules, and what the caches of schedules hold.")
final class InfoCommand implements Runnable {
    @Mixin
    private Connect connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeInfoRow> rows = NodeInfoRow.of(client.ask(new Message.Describe(), Message.ClusterState.class).nodes());
            System.out.print(json ? Wire.pretty(rows) + "\n" : Listing.info(rows));
        }
    }
}
