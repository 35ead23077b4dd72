/**
 * Selection of modules and algorithms: the modules that a node offers, those that the nodes of a job agree on, and the algorithm that serves
 * each call of a communicator.
 *
 * <pre>{@code
 * ModuleRegistry -Catalogue-> AgreedModules -Lease.keep-> JobModules    once per node and job
 * Selector.select(JobModules, SelectionContext)                         once per communicator, on all ranks together
 *   |- Candidate (one per module): query, init; ModuleAvailability, LockstepCheck: the exchange among ranks
 *   '- SelectionPolicy (UserPreferences, RuleTable) -> Decision (one per operation) -> Selection
 * Selection.of(operation) -> Decision.of(call) -> algorithm;  SelectionExplainer -> Explanation
 * }</pre>
 */
@Export
@Version("0.1.0")
package tutti.runtime.select;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
