/**
 * Installation and removal of modules while daemons run: on one node, and coordinated on all nodes of the cluster.
 *
 * <pre>{@code
 * ChangeCoordinator -> ChangeTarget.prepare on the first node, then on the others; then commit and finish on all
 * ChangeTarget = LocalChange, or the peer of a Conversation -> link -> ChangeServer -> LocalChange
 * LocalChange -> ModuleStore.prepare, commit and finish, or undo; without the coordinator ChangeSettlement
 * ModuleStore -> ModuleSigners, TimeLimit, InstallVerification, NodeModules, StateFile -> StoreState with UnfinishedChange
 * }</pre>
 */
package tutti.daemon.modules;
