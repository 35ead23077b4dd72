package tutti.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.ModuleRow;

/** {@code tutti modules}: lists the collective modules. */
@Command(name = "modules", mixinStandardHelpOptions = true,
    description = "Lists the collective modules, the nodes that have them, and the nodes that do not.")
final class ModulesCommand implements Runnable {
    @Mixin
    private ListingOptions listing;

    @Override
    public void run() {
        listing.print(ModuleRow::of, ClusterListing::modules);
    }
}
