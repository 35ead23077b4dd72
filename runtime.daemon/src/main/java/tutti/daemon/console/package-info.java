/**
 * Commands of a console inside a node's container.
 *
 * <pre>{@code
 * ConsoleCommands -> control.NodeService.reports -> listing.ClusterListing
 * }</pre>
 */
@NullMarked
package tutti.daemon.console;

import org.jspecify.annotations.NullMarked;
