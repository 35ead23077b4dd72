/**
 * The processors of ranks: those to which they are bound, and how many are busy.
 *
 * <pre>{@code
 * host.HostedJob -> CoreBinding (processors of each rank) -> ThreadAffinity (the system)
 * Waiter -> CoreOccupancy.maySpin -> OccupancyFile (all nodes of the machine);  CoreMigration (away from a busy core)
 * }</pre>
 */
@NullMarked
package tutti.runtime.affinity;

import org.jspecify.annotations.NullMarked;
