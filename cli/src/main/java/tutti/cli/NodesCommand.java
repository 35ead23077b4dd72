package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.NodeRow;

/** {@code tutti nodes}: lists the nodes of a cluster. */
@Command(name = "nodes", mixinStandardHelpOptions = true, description = "Lists the nodes of a cluster.")
final class NodesCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    @Override
    public void run() {
        listing.print(NodeRow::of, ClusterListing::nodes);
    }
}
