/**
 * Installation and removal of modules while daemons run: on one node, and coordinated on all nodes of the cluster.
 *
 * <pre>{@code
 * ChangeCoordinator -> ChangeTarget.prepare on the first node, then on the others; then commit and finish on all
 * ChangeTarget = LocalChange, or the peer of a Conversation -> link -> LocalChange
 * LocalChange -> StoreChanges.prepare, commit and finish, or undo; without the coordinator ChangeSettlement
 * StoreChanges -> ChangePreparation -> ModuleSigners, ProofProcess, StoreBundles, InstallVerification
 *              -> StateFile: StoreState with UnfinishedChange
 *              -> StoreBundles -> NodeModules
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.daemon.modules;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
