/**
 * Installation and removal of modules while daemons run: on one node, and coordinated on all nodes of the cluster.
 *
 * <pre>{@code
 * ChangeCoordinator -> ChangeTarget.prepare on the first node, then on the others; then settle on all
 * ChangeTarget = LocalTarget -> LocalChange | RemoteTarget -> link -> ChangeServer -> LocalChange
 * LocalChange -> ModuleStore.prepare, commit or abort, finish
 * ModuleStore -> ModuleSigners, TimeLimit, InstallVerification, NodeModules, StoreState
 * }</pre>
 */
package tutti.daemon.modules;
