package tutti.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti nodes}: lists the nodes of a cluster. */
@Command(name = "nodes", mixinStandardHelpOptions = true, description = "Lists the nodes of a cluster.")
final class NodesCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    private record Row(String name, String address, long pid, String java, int cores, int ranks, long since) {}

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeReport> reports = client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
            if (json) {
                System.out.println(MessageCodec.pretty(reports.stream().map(NodesCommand::row).toList()));
            } else {
                System.out.print(ClusterListing.nodes(reports));
            }
        }
    }

    private static Row row(final NodeReport report) {
        final NodeInfo node = report.node();
        return new Row(node.name(), node.address().toString(), node.pid(), node.java(), node.cores(), report.ranks(), node.since());
    }
}
