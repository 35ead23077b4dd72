package tutti.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.NodeInfoRow;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti info}: shows the state of each node. */
@Command(name = "info", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Shows the state of each node of a cluster: versions, heap, jobs, modules, transports and schedule caches.")
final class InfoCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeInfoRow> rows = NodeInfoRow.of(client.ask(new Message.Describe(), Message.ClusterState.class).nodes());
            System.out.print(json ? MessageCodec.pretty(rows) + "\n" : ClusterListing.info(rows));
        }
    }
}
