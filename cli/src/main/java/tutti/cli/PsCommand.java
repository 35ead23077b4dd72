package tutti.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti ps}: lists the jobs of a cluster. */
@Command(name = "ps", mixinStandardHelpOptions = true, description = "Lists the jobs of a cluster.")
final class PsCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeReport> reports = client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
            if (json) {
                System.out.println(MessageCodec.pretty(reports.stream().flatMap(r -> r.jobs().stream()).toList()));
            } else {
                System.out.print(ClusterListing.jobs(reports));
            }
        }
    }
}
