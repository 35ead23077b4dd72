/**
 * Launch of the OSGi container of a node.
 *
 * <pre>{@code
 * command.DaemonCommand -> FelixContainer.start -> Felix framework -> bundles -> control.NodeService
 * NodeService -> service Consumer<String>: "ready ...", "failed ...", "stop" -> DaemonCommand
 * }</pre>
 */
package tutti.daemon.launch;
