/**
 * Shared memory between the ranks of a node that are in one collective: the slots in which they expose progress and buffers to each other.
 *
 * <pre>{@code
 * ShmRegions -> ShmRegion -> RankSlotTable -> RankSlots     one region per communicator, one slot per pending call
 *               ShmRegion -> PersistentSlots -> RankSlotTable     the starts of a persistent collective
 * RankSlots -> SegmentSlots                                 progress and short shared memory, a cache line for each slot
 * RankSlots -> ExposedBuffers                               the memory of a call, read in place
 * RankSlots: expose, post -> wake SlotWatch -> mailbox of the waiting rank
 * }</pre>
 */
@NullMarked
package tutti.runtime.shm;

import org.jspecify.annotations.NullMarked;
