package tutti.daemon.console;

import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.control.NodeService;
import tutti.daemon.listing.ClusterListing;
import tutti.daemon.listing.NodeInfoRow;

/**
 * Commands {@code tutti:nodes}, {@code tutti:modules}, {@code tutti:jobs}, {@code tutti:info} and {@code tutti:explain} of a Gogo console in a node's
 * container. Gogo finds them by the service properties; this class does not depend on Gogo. Safe for any thread; commands block.
 */
@Component(service = ConsoleCommands.class, property = {"osgi.command.scope=tutti", "osgi.command.function=nodes",
    "osgi.command.function=modules", "osgi.command.function=jobs", "osgi.command.function=info", "osgi.command.function=explain"})
public final class ConsoleCommands {
    private final NodeService node;

    /** Creates the commands of a node. */
    @Activate
    public ConsoleCommands(@Reference(name = "node") final NodeService node) {
        this.node = node;
    }

    /** Lists the nodes of the cluster. */
    public String nodes() {
        return ClusterListing.nodes(node.reports());
    }

    /** Lists the modules, and the nodes that have them. */
    public String modules() {
        return ClusterListing.modules(node.reports());
    }

    /** Lists the jobs. */
    public String jobs() {
        return ClusterListing.jobs(node.reports());
    }

    /** Shows the versions, load and modules of each node. */
    public String info() {
        return ClusterListing.info(NodeInfoRow.of(node.reports()));
    }

    /** Shows which modules a job on all nodes would have, and why it would not have the others. */
    public String explain() {
        return ClusterListing.agreement(node.reports());
    }
}
