/**
 * Module {@code smp}: collectives in shared memory within a node, hierarchical collectives across nodes, and pipelined ones between groups.
 *
 * <pre>{@code
 * SmpModule.query -> SingleNodeTable (one node)        -> Direct*, GatherRelease*, Blocks*, FlatBarrier, FenwickScan
 *                 -> HierarchicalTable (several nodes) -> Hierarchical*, on the sub-communicators of HierarchyLevels
 *                 -> PipelinedTable (two groups)       -> Pipelined*, on the local group
 * reductions      -> CanonicalReduction, along a FanInTree or FenwickTree
 * }</pre>
 */
@NullMarked
package tutti.coll.smp;

import org.jspecify.annotations.NullMarked;
