package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.NodeInfoRow;

/** {@code tutti info}: shows the state of each node. */
@Command(name = "info", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Shows the state of each node of a cluster: versions, heap, jobs, modules, transports and schedule caches.")
final class InfoCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    @Override
    public void run() {
        listing.print(NodeInfoRow::of, reports -> ClusterListing.info(NodeInfoRow.of(reports)));
    }
}
