/**
 * Module {@code tree}: collectives along k-nomial and k-ary trees, and throttled gatherv and scatterv along a star.
 *
 * <pre>{@code
 * TreeModule -> Tree*, and in tutti.coll.patterns LinearGatherv, LinearScatterv (algorithms)
 *   algorithms -> RootedTree (tree from any root) -> TreeShape: KnomialTree, KaryTree -> TreeNode (parent, children)
 *              -> TreeSegments (lengths of messages)
 *              -> ChildReduction (receives and combines what children send) -> ScratchPool -> Plan
 * }</pre>
 */
@NullMarked
package tutti.coll.tree;

import org.jspecify.annotations.NullMarked;
