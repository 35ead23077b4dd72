/**
 * Launch of the OSGi container of a node.
 *
 * <pre>{@code
 * cli.DaemonCommand -> FelixContainer.start -> Felix framework -> bundles -> daemon.control.NodeService
 * NodeService registers itself -> FelixContainer.awaitService -> DaemonCommand
 * NodeService stops the framework -> FelixContainer.awaitStopping -> DaemonCommand
 * }</pre>
 */
package tutti.cli.launch;
