/**
 * Module {@code recexch}: collectives by recursive exchange, that is recursive doubling and halving with any radix.
 *
 * <pre>{@code
 * RecexchModule -> Doubling*, Rabenseifner*, Halving*, Canonical* (algorithms)
 *   algorithms  -> RecursiveExchange (groups of ranks), HalvingRanges and SegmentLayout (ranges of data per rank)
 *               -> DoublingRounds, RecursiveHalving, AllgatherPhase (phases of one rank), ScanState (rounds of a scan)
 *   phases      -> CanonicalMerge (receives and reduces) -> ScratchPool -> DependencyTracker -> Plan
 * }</pre>
 */
@NullMarked
package tutti.coll.recexch;

import org.jspecify.annotations.NullMarked;
