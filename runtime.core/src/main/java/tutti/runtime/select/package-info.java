/**
 * Selection of the algorithm that serves each call of a communicator, from the modules that the nodes of a job agreed on.
 *
 * <pre>{@code
 * Lease.keep -> JobModules (ModuleParameters, LayoutRules)                once per node and job
 * Selector.select(JobModules, SelectionContext)                         once per communicator, on all ranks together; duplicates share it
 *   |- Candidate (one per module): query, init; ModuleAvailability, LockstepCheck: the exchange among ranks
 *   '- SelectionPolicy (UserPreferences, RuleTable) -> Decision (one per operation) -> Selection
 * Selection.of(operation) -> Decision.of(call) -> algorithm;  SelectionExplainer -> Explanation
 * }</pre>
 */
@NullMarked
package tutti.runtime.select;

import org.jspecify.annotations.NullMarked;
