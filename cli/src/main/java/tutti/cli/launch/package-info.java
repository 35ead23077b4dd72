/**
 * Launch of the OSGi container of a node.
 *
 * <pre>{@code
 * cli.NodeProcess -> FelixContainer.start -> Felix framework -> bundles -> daemon.control.NodeStart
 * NodeService, or NodeStart with the reason why there is no node, registers itself -> FelixContainer.awaitService -> NodeProcess
 * NodeStop stops the framework -> FelixContainer.awaitStopping -> NodeProcess
 * }</pre>
 */
@NullMarked
package tutti.cli.launch;

import org.jspecify.annotations.NullMarked;
