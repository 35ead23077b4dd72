package tutti.coll.smp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.CollSubComm;

/**
 * The two levels of a communicator over several nodes, as held by one of its ranks.
 *
 * @param nodes   the ranks, grouped by node
 * @param node    the sub-communicator of the ranks of this rank's node; its rank 0 is the leader; null before init
 * @param leaders the sub-communicator of the leaders of all nodes, in the order of nodes; null before init, and where this rank is no leader
 */
record HierarchyLevels(NodeGroups nodes, @Nullable CollSubComm node, @Nullable CollSubComm leaders) {
    @Override
    public CollSubComm node() {
        return Objects.requireNonNull(node, "plans are made after init");
    }

    @Override
    public CollSubComm leaders() {
        return Objects.requireNonNull(leaders, "only a leader plans with the leaders, after init");
    }
}
