package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.listing.ClusterListing;

/** {@code tutti ps}: lists the jobs of a cluster. */
@Command(name = "ps", mixinStandardHelpOptions = true, description = "Lists the jobs of a cluster.")
final class PsCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    @Override
    public void run() {
        listing.print(reports -> reports.stream().flatMap(r -> r.jobs().stream()).toList(), ClusterListing::jobs);
    }
}
