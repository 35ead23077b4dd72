/**
 * Commands of a console inside a node's container.
 *
 * <pre>{@code
 * ConsoleCommands -> control.NodeService.reports -> listing.ClusterListing
 * }</pre>
 */
package tutti.daemon.console;
