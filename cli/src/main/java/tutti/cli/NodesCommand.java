package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;

/** {@code tutti nodes}: lists the nodes of a cluster. */
@Command(name = "nodes", mixinStandardHelpOptions = true, description = "Lists the nodes of a cluster.")
final class NodesCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    private record Row(String name, String address, long pid, String java, int cores, int ranks, long since) {}

    @Override
    public void run() {
        listing.print(reports -> reports.stream().map(NodesCommand::row).toList(), ClusterListing::nodes);
    }

    private static Row row(final NodeReport report) {
        final NodeInfo node = report.node();
        return new Row(node.name(), node.address().toString(), node.pid(), node.java(), node.cores(), report.ranks(), node.since());
    }
}
