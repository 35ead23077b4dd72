/**
 * Module {@code smp}: collectives in shared memory within a node, and hierarchical collectives across nodes.
 *
 * <pre>{@code
 * SmpModule.query -> SingleNodeTable (one node)        -> Direct*, GatherRelease*, Blocks*, FlatBarrier, FenwickScan
 *                 -> HierarchicalTable (several nodes) -> Hierarchical*, on the sub-communicators of HierarchyLevels
 * reductions      -> CanonicalReduction, along a FanInTree or FenwickTree
 * }</pre>
 */
package tutti.coll.smp;
