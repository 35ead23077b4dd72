package tutti.coll.smp;

import java.util.List;
import java.util.stream.IntStream;
import tutti.coll.Level;

/**
 * The ranks of a communicator, grouped by node, or by the domain of another level of locality. Nodes are numbered from 0 in the order of their
 * lowest ranks. The lowest rank of a node is its leader.
 *
 * @param members the ranks of each node, in ascending order
 * @param nodeOf  the node of each rank
 */
record NodeGroups(List<List<Integer>> members, List<Integer> nodeOf) {

    /** Returns the groups of the domains of a level. */
    static NodeGroups of(final Level level) {
        return new NodeGroups(IntStream.range(0, level.domains()).mapToObj(level::ranksOf).toList(),
            IntStream.range(0, level.ranks()).mapToObj(level::domainOf).toList());
    }

    int count() {
        return members.size();
    }

    /** Returns the ranks on the node of {@code rank}, in ascending order. */
    List<Integer> nodeMembers(final int rank) {
        return members.get(nodeOf.get(rank));
    }

    /** Returns the leader of a node: its lowest rank. */
    int leader(final int node) {
        return members.get(node).getFirst();
    }

    boolean leads(final int rank) {
        return nodeMembers(rank).getFirst() == rank;
    }

    /** Returns whether the ranks of each node are consecutive, so that visiting the nodes in turn keeps the order of ranks. */
    boolean isInBlocks() {
        return members.stream().allMatch(NodeGroups::areNeighbours);
    }

    /** Returns whether ranks, given in ascending order, are consecutive. */
    static boolean areNeighbours(final List<Integer> ranks) {
        return ranks.getLast() - ranks.getFirst() == ranks.size() - 1;
    }
}
