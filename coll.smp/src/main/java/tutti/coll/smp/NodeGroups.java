package tutti.coll.smp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tutti.coll.CollComm;

/**
 * The ranks of a communicator, grouped by node. Nodes are numbered from 0 in the order of their lowest ranks. The lowest rank of a node is its
 * leader.
 *
 * @param members the ranks of each node, in ascending order
 * @param nodeOf  the node of each rank
 */
record NodeGroups(List<List<Integer>> members, List<Integer> nodeOf) {

    /** Returns the node groups of a communicator. */
    static NodeGroups of(final CollComm comm) {
        final Map<Integer, Integer> numbers = new LinkedHashMap<>();
        final List<List<Integer>> members = new ArrayList<>();
        final List<Integer> nodeOf = new ArrayList<>();
        for (int rank = 0; rank < comm.size(); rank++) {
            final int node = numbers.computeIfAbsent(comm.nodeOf(rank), n -> {
                members.add(new ArrayList<>());
                return members.size() - 1;
            });
            members.get(node).add(rank);
            nodeOf.add(node);
        }
        return new NodeGroups(members.stream().map(List::copyOf).toList(), List.copyOf(nodeOf));
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
