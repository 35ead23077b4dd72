package tutti.daemon.console;

import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.control.NodeService;

/**
 * The commands {@code tutti:nodes}, {@code tutti:modules}, {@code tutti:jobs}, {@code tutti:info} and {@code tutti:explain} of a Gogo console in a
 * node's container. Gogo finds them by the service properties; nothing of it is needed here. Safe for any thread; commands block.
 */
@Component(service = ConsoleCommands.class, property = {"osgi.command.scope=tutti", "osgi.command.function=nodes",
    "osgi.command.function=modules", "osgi.command.function=jobs", "osgi.command.function=info", "osgi.command.function=explain"})
public final class ConsoleCommands {
    private final NodeService node;

    /** Of that node. */
    @Activate
    public ConsoleCommands(@Reference(name = "node") final NodeService node) {
        this.node = node;
    }

    /** Lists the nodes of the cluster. */
    public String nodes() {
        return ClusterListing.nodes(node.reports());
    }

    /** Lists the modules, and who holds them. */
    public String modules() {
        return ClusterListing.modules(node.reports());
    }

    /** Lists the jobs. */
    public String jobs() {
        return ClusterListing.jobs(node.reports());
    }

    /** Says what each node is and does. */
    public String info() {
        return ClusterListing.info(NodeInfoRow.of(node.reports()));
    }

    /** Says which modules a job over all nodes would get, and why not the others. */
    public String explain() {
        return ClusterListing.agreement(node.reports());
    }
}
