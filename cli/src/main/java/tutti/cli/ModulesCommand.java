package tutti.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.ModuleRow;
import tutti.daemon.node.NodeReport;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;

/** {@code tutti modules}: lists the collective modules. */
@Command(name = "modules", mixinStandardHelpOptions = true,
    description = "Lists the collective modules, the nodes that have them, and the nodes that do not.")
final class ModulesCommand implements Runnable {
    @Mixin
    private ConnectOption connect;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Override
    public void run() {
        try (Client client = connect.open()) {
            final List<NodeReport> reports = client.ask(new Message.Describe(), Message.ClusterState.class).nodes();
            if (json) {
                System.out.println(MessageCodec.pretty(ModuleRow.of(reports)));
            } else {
                System.out.print(ClusterListing.modules(reports));
            }
        }
    }
}
