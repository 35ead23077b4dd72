/**
 * Launch of the OSGi container of a node.
 *
 * <pre>{@code
 * cli.DaemonCommand -> FelixContainer.start -> Felix framework -> bundles -> daemon.control.NodeService
 * NodeService -> service Consumer<String>: "ready ...", "failed ...", "stop" -> DaemonCommand
 * }</pre>
 */
package tutti.cli.launch;
