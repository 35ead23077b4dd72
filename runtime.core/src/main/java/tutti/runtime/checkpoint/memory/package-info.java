/**
 * Checkpoints in the memory of other ranks: groups of ranks on different nodes keep checks of each other's states, from which the state of a rank
 * that has failed is computed.
 *
 * <pre>{@code
 *   MemoryCheckpoints.save --> BuddyGroups (who keeps checks for whom) --> GroupExchange (the transfers) --> ErasureCode (their coefficients)
 *   MemoryCheckpoints.find --> what others hold                        --> GroupExchange                 --> ErasureCode
 * }</pre>
 */
@NullMarked
package tutti.runtime.checkpoint.memory;

import org.jspecify.annotations.NullMarked;
