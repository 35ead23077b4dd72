/**
 * Launch of the OSGi container of a node.
 *
 * <pre>{@code
 * cli.NodeProcess -> FelixContainer.start -> Felix framework -> bundles -> daemon.control.NodeService
 * NodeService registers itself -> FelixContainer.awaitService -> NodeProcess
 * NodeService stops the framework -> FelixContainer.awaitStopping -> NodeProcess
 * }</pre>
 */
@NullMarked
package tutti.cli.launch;

import org.jspecify.annotations.NullMarked;
