package tutti.coll.smp;

import tutti.coll.CollSubComm;

/**
 * The two levels of a communicator over several nodes, as one of its ranks sees them.
 *
 * @param nodes   where ranks are
 * @param node    the ranks of this rank's node, in their order: the first leads
 * @param leaders the leaders of all nodes, in the order of nodes; null where this rank is none
 */
record HierarchyLevels(NodeGroups nodes, CollSubComm node, CollSubComm leaders) { }
