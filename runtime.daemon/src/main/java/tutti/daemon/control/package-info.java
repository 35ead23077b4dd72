/**
 * Control of a node: its life, and what it serves to commands, nodes and other bundles.
 *
 * <pre>{@code
 * NodeService: opens a node when it is configured, publishes its address, and closes it
 *   -> NodePort (listens, LinkAdmission) -> OpenNode (all parts of the node, in the order of their dependence)
 * link of a command -> ClientSession (runs its job) -> CommandRequests: answers what it asks
 * ClusterModules, ModuleRecovery: changes of modules on all nodes;  NodePage: where the live page is
 * NodeReports, NodeExamination, NodeStatusPublisher, NodeQuestions: what is known of the nodes
 * }</pre>
 */
@NullMarked
package tutti.daemon.control;

import org.jspecify.annotations.NullMarked;
