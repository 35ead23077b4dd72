package tutti.runtime.select;

import java.util.HashMap;
import java.util.Map;
import tutti.runtime.policy.LongRange;

/**
 * The distribution of the ranks of a communicator over nodes.
 *
 * @param ranks  number of ranks
 * @param nodes  number of nodes that hold ranks
 * @param minRanksPerNode smallest number of ranks on one of these nodes
 * @param maxRanksPerNode   largest number of ranks on one of these nodes
 */
record NodeLayout(int ranks, int nodes, int minRanksPerNode, int maxRanksPerNode) {
    /** Returns the layout of a communicator. */
    static NodeLayout of(final CommShape shape) {
        final Map<Integer, Integer> ranksByNode = new HashMap<>();
        for (final int node : shape.nodes()) {
            ranksByNode.merge(node, 1, Integer::sum);
        }
        return new NodeLayout(shape.size(), ranksByNode.size(), ranksByNode.values().stream().mapToInt(Integer::intValue).min().orElse(0),
            ranksByNode.values().stream().mapToInt(Integer::intValue).max().orElse(0));
    }

    /** Returns the smallest and the largest number of ranks on one node. */
    LongRange ranksPerNode() {
        return new LongRange(minRanksPerNode, maxRanksPerNode);
    }

    /** Returns a hash of the layout, to which more can be added. */
    AgreementHash hash() {
        return new AgreementHash().add(ranks).add(nodes).add(minRanksPerNode).add(maxRanksPerNode);
    }
}
