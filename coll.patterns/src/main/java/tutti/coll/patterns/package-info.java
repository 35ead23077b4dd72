/**
 * Plan patterns that collective modules share: arithmetic on ranks, divisions of data, scratch memory, limits, and the algorithms that two
 * modules have. A module embeds the package, so that its digest covers it; no bundle exports it.
 *
 * <pre>{@code
 *   ranks     CyclicRanks, RecursiveExchange (recursive doubling with any radix), RadixStep (dissemination), CanonicalBrackets
 *   data      CyclicRange (blocks of consecutive ranks), EvenPartition (a block for each rank), Segments
 *   memory    ScratchPool, ScratchSlots
 *   tasks     DataTasks (none for empty ranges), Throttle (how many messages are in progress at once)
 *   parts     InPlaceExchange, OwnBlock, NestedReduction;   algorithms: DisseminationBarrier, LinearGatherv, LinearScatterv
 * }</pre>
 */
@NullMarked
package tutti.coll.patterns;

import org.jspecify.annotations.NullMarked;
