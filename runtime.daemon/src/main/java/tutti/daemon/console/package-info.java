/**
 * Listings of a cluster's state, and the commands of a console inside a node's container.
 *
 * <pre>{@code
 * ConsoleCommands -> control.NodeService.reports
 * command.NodesCommand, PsCommand, InfoCommand, ... -> ClusterListing -> TextTable, NodeInfoRow, ModuleRow
 * }</pre>
 */
package tutti.daemon.console;
