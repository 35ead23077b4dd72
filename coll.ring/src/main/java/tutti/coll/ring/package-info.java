/**
 * Module {@code ring}: collectives that pass segments from neighbour to neighbour, and throttled alltoall.
 *
 * <pre>{@code
 * RingModule -> Ring*, Chain*, PipelinedBcast, PairwiseAlltoall, ScatteredAlltoall, InterleavedAlltoall (algorithms)
 *   algorithms -> RingOrder, Ring (neighbours), RingSegments (lengths of messages)
 *              -> patterns: InPlaceExchange (alltoall in place), ScratchSlots, Throttle (limits) -> Plan
 * }</pre>
 */
@NullMarked
package tutti.coll.ring;

import org.jspecify.annotations.NullMarked;
