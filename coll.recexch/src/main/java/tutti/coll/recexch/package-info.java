/**
 * Module {@code recexch}: collectives by recursive exchange, that is recursive doubling and halving with any radix.
 *
 * <pre>{@code
 * RecexchModule -> Doubling*, Rabenseifner*, Halving*, Canonical* (algorithms)
 *   algorithms  -> RecursiveExchange (who meets whom), HalvingRanges and SegmentLayout (who holds which bytes)
 *               -> DoublingRounds, RecursiveHalving, AllgatherPhase (phases of one rank), ScanState (rounds of a scan)
 *   phases      -> CanonicalMerge (receives and reduces) -> ScratchPool -> DependencyTracker -> Plan
 * }</pre>
 */
package tutti.coll.recexch;
