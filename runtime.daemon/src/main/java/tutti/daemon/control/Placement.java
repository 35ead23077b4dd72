package tutti.daemon.control;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.job.NodeAddress;

/**
 * Placement of ranks on nodes.
 *
 * @param nodes      nodes that have ranks, in the order of their names
 * @param nodeOfRank index of the node of each rank
 */
record Placement(List<NodeAddress> nodes, List<Integer> nodeOfRank) {

    /**
     * Places ranks on the nodes, in the order of the nodes' names.
     *
     * @param ranks   number of ranks; 0 means one per core
     * @param cyclic  whether to place ranks cyclically instead of in blocks, whose sizes differ by at most one
     * @param members nodes of the cluster
     */
    static Placement of(final int ranks, final boolean cyclic, final List<NodeInfo> members) {
        final List<NodeInfo> sorted = members.stream().sorted(Comparator.comparing(NodeInfo::name)).toList();
        final int n = ranks > 0 ? ranks : sorted.stream().mapToInt(NodeInfo::cores).sum();
        final int used = Math.min(n, sorted.size());
        final List<Integer> nodeOf = new ArrayList<>();
        for (int r = 0; r < n; r++) {
            nodeOf.add(cyclic ? r % used : block(r, n, used));
        }
        return new Placement(sorted.stream().limit(used).map(i -> new NodeAddress(i.name(), i.host(), i.port())).toList(), nodeOf);
    }

    /** Returns the node of a rank in block placement. The first {@code n % nodes} blocks have one rank more. */
    private static int block(final int rank, final int n, final int nodes) {
        final int small = n / nodes;
        final int large = n % nodes * (small + 1);
        return rank < large ? rank / (small + 1) : n % nodes + (rank - large) / small;
    }
}
