package tutti.daemon.control;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tutti.daemon.protocol.NodeInfo;
import tutti.runtime.job.NodeAddress;

/**
 * Which rank runs on which node.
 *
 * @param nodes      those that get a rank, in the order of their names
 * @param nodeOfRank for each rank the index of its node
 */
record Placement(List<NodeAddress> nodes, List<Integer> nodeOfRank) {

    /**
     * Deals ranks out to the nodes, taken in the order of their names.
     *
     * @param ranks  how many; 0 is one per core
     * @param cyclic in turn, instead of in blocks that differ by one at most
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

    /** The first {@code n % nodes} blocks have one rank more. */
    private static int block(final int rank, final int n, final int nodes) {
        final int small = n / nodes;
        final int large = n % nodes * (small + 1);
        return rank < large ? rank / (small + 1) : n % nodes + (rank - large) / small;
    }
}
