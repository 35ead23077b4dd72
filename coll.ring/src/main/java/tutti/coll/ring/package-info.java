/**
 * Module {@code ring}: collectives that pass segments from neighbour to neighbour, and throttled alltoall.
 *
 * <pre>{@code
 * RingModule -> Ring*, Chain*, PipelinedBcast, PairwiseAlltoall, ScatteredAlltoall, InterleavedAlltoall (algorithms)
 *   algorithms -> RingOrder, Ring (neighbours), Segments (lengths of messages)
 *              -> RingReduction (commutative), OrderedChain (in rank order)
 *   these      -> patterns: InPlaceExchange (alltoall in place), ScratchSlots, SlotRotation (which task a slot waits for) -> Plan
 * }</pre>
 */
@NullMarked
package tutti.coll.ring;

import org.jspecify.annotations.NullMarked;
