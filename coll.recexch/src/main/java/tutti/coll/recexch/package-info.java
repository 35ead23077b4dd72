/**
 * Module {@code recexch}: collectives by recursive exchange, that is recursive doubling and halving with any radix.
 *
 * <pre>{@code
 * RecexchModule -> Doubling*, Rabenseifner*, Halving*, Canonical*, ScatterAllgatherBcast (algorithms)
 *   algorithms  -> RecursiveExchange (groups of ranks), HalvingRanges (ranges of data per rank)
 *               -> CanonicalMerge (receives and combines the values of a group) -> ScratchPool
 *               -> DataTasks (none for empty ranges) -> Plan
 * }</pre>
 */
@NullMarked
package tutti.coll.recexch;

import org.jspecify.annotations.NullMarked;
