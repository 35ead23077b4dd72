/**
 * Control of a node: its life, and what it serves to commands, nodes and other bundles.
 *
 * <pre>{@code
 * NodeStart: listens when the node is configured -> cluster.ListeningNode, a service that all components of the node need
 * NodeService: the last of these; lets links in, publishes the address of the node, and ends its jobs first when it stops
 * links by their purpose -> NodeServer -> jobs, changes, checkpoints, questions;  NodeStop: stops this node and others
 * link of a command -> ClientSession (runs its job) -> CommandRequests: answers what it asks
 * ClusterModules, ModuleRecovery: changes of modules on all nodes;  NodePage: where the live page is
 * NodeReports, NodeExamination, NodeStatusPublisher, NodeQuestions: what is known of the nodes
 * }</pre>
 */
@NullMarked
package tutti.daemon.control;

import org.jspecify.annotations.NullMarked;
