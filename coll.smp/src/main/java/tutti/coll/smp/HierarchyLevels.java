package tutti.coll.smp;

import tutti.coll.CollSubComm;

/**
 * The two levels of a communicator over several nodes, as held by one of its ranks.
 *
 * @param nodes   the ranks, grouped by node
 * @param node    the sub-communicator of the ranks of this rank's node; its rank 0 is the leader
 * @param leaders the sub-communicator of the leaders of all nodes, in the order of nodes; null where this rank is no leader
 */
record HierarchyLevels(NodeGroups nodes, CollSubComm node, CollSubComm leaders) {}
