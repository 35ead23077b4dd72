/**
 * Module {@code tree}: collectives along k-nomial and k-ary trees, and throttled gatherv and scatterv along a star.
 *
 * <pre>{@code
 * TreeModule -> Tree*, ThrottledGatherv, ThrottledScatterv (algorithms)
 *   algorithms -> RootedTree (tree from any root) -> TreeShape: KnomialTree, KaryTree -> TreeNode (parent, children)
 *              -> Segments (lengths of messages), Throttle (transfers in progress)
 *              -> ChildReduction (receives and combines what children send) -> Bracketing, ScratchPool -> Plan
 * }</pre>
 */
package tutti.coll.tree;
